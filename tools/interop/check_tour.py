#!/usr/bin/env python3
"""check_tour.py MODEL.PB CLASSES.NPY [DATA]: TensorFlow loads the tour's graph and must give the same classes.

Needs tensorflow (pip install tensorflow-cpu). CLASSES.NPY is what Tandem gave for the held-out digits:

    tandem tour --out tour
    python3 tools/interop/check_tour.py --feed images.npy       # writes the held-out digits as tandem run wants them
    tandem run tour/model.pb --feed images=images.npy --fetch classes --out out
    python3 tools/interop/check_tour.py tour/model.pb out/classes.npy
"""
import gzip
import sys

import numpy as np


def held_out(data="examples/data"):
    with gzip.open(f"{data}/mnist5k-test-images-idx3-ubyte.gz") as file:
        pixels = np.frombuffer(file.read(), np.uint8, offset=16)
    return pixels.reshape(-1, 28, 28, 1).astype(np.float32) / np.float32(255)


def main():
    if sys.argv[1] == "--feed":
        np.save(sys.argv[2], held_out(*sys.argv[3:4]))
        return
    import tensorflow as tf
    model, classes = sys.argv[1:3]
    graph_def = tf.compat.v1.GraphDef()
    with open(model, "rb") as file:
        graph_def.ParseFromString(file.read())
    with tf.Graph().as_default() as graph:
        tf.import_graph_def(graph_def, name="")
        with tf.compat.v1.Session(graph=graph) as session:
            theirs = session.run("classes:0", {"images:0": held_out(*sys.argv[3:4])})
    ours = np.load(classes)
    same = int((ours == theirs).sum())
    print(f"classes: {same} of {len(theirs)} the same")
    sys.exit(0 if same == len(theirs) and ours.dtype == theirs.dtype else 1)


main()
