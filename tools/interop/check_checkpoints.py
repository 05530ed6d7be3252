#!/usr/bin/env python3
"""Checkpoints both ways: TensorFlow restores what Tandem wrote, Tandem what TensorFlow wrote.

    bazel build //tests/eager/train:checkpoint_interop_test
    python3 tools/interop/check_checkpoints.py bazel-bin/tests/eager/train/checkpoint_interop_test

Needs TensorFlow (pip install tensorflow); nothing of it is used elsewhere.
"""
import os
import subprocess
import sys
import tempfile

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "")
import numpy as np
import tensorflow as tf
from tensorflow.python.checkpoint import checkpoint_view


class Optimizer(tf.Module):
    """An optimizer of TensorFlow 1's kind: slots, found through these methods."""

    def __init__(self, iterations, slots):
        super().__init__()
        self.iter = iterations
        self._slot_of = slots.get  # a plain dict would be saved itself

    def get_slot_names(self):
        return ["momentum"]

    def get_slot(self, variable, name):
        return self._slot_of(variable.ref())

    def _create_or_restore_slot_variable(self, slot_variable_position, slot_name, variable):
        slot_variable_position.restore(self._slot_of(variable.ref()))


class Layer(tf.Module):
    def __init__(self, w, b):
        super().__init__()
        self.w, self.b = w, b


def build(base):
    f = np.float32
    w = tf.Variable(np.arange(4, dtype=f).reshape(2, 2) + f(base), name="w")
    b = tf.Variable(np.arange(4, 6, dtype=f) + f(base), name="b")
    m = tf.Variable(np.arange(6, 10, dtype=f).reshape(2, 2) + f(base), name="momentum")
    step = tf.Variable(np.int64(base), name="step")
    model = tf.Module()
    model.layers, model.tied = [Layer(w, b)], w
    optimizer = Optimizer(step, {w.ref(): m})
    return (w, b, m, step), tf.train.Checkpoint(model=model, optimizer=optimizer, step=step)


def expect(what, ok):
    print(("ok    " if ok else "WRONG ") + what)
    if not ok:
        sys.exit(1)


def main():
    program = sys.argv[1]
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([program, folder], check=True)
        for name in ("ours-1", "ours-again"):
            got, root = build(0)
            root.restore(f"{folder}/{name}").assert_consumed()
            want, _ = build(10)
            expect(f"{name} restores in tf.train.Checkpoint", all(np.array_equal(g.numpy(), w.numpy()) for g, w in zip(got, want)))
        expect("tf.train.latest_checkpoint finds the Saver's", tf.train.latest_checkpoint(folder) == f"{folder}/named-7")
        reader = tf.train.load_checkpoint(f"{folder}/named-7")
        expect("names of the Saver", sorted(reader.get_variable_to_shape_map()) == ["b", "w"])
        reader = tf.train.load_checkpoint(f"{folder}/every")
        for key, dtype in reader.get_variable_to_dtype_map().items():
            value = reader.get_tensor(key)
            if key == "string":
                expect("string", list(value) == [b"one", b"", b"three"])
            elif key == "part":
                expect("parts", list(value) == [5, 6, 7, 8])
            else:
                want = tf.cast([1, 0, 3], dtype).numpy()
                expect(key, value.dtype == want.dtype and np.array_equal(value, want))
        merged = tf.raw_ops.RestoreV2(prefix=f"{folder}/every", tensor_names=["part"], shape_and_slices=["4 1,2"], dtypes=[tf.float32])
        expect("a slice of parts", list(merged[0].numpy()) == [6, 7])
        view = checkpoint_view.CheckpointView(f"{folder}/ours-1")
        expect("the object graph", sorted(view.children(0)) == ["model", "optimizer", "save_counter", "step"])

    with tempfile.TemporaryDirectory() as folder:
        _, root = build(20)
        root.save(f"{folder}/theirs")
        expect("Tandem restores TensorFlow's", subprocess.run([program, folder]).returncode == 0)


if __name__ == "__main__":
    main()
