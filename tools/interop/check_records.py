#!/usr/bin/env python3
"""TensorFlow reads the record files that Tandem writes, in each compression.

    bazel build //tests/eager/data:files_test
    python3 tools/interop/check_records.py bazel-bin/tests/eager/data/files_test

Needs TensorFlow (pip install tensorflow); nothing of it is used elsewhere.
"""
import os
import subprocess
import sys
import tempfile

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "")
import tensorflow as tf

COUNT = 5000

with tempfile.TemporaryDirectory() as folder:
    prefix = os.path.join(folder, "records.")
    subprocess.run([sys.argv[1], folder, str(COUNT)], check=True)
    for compression in "", "GZIP", "ZLIB":
        records = [r.numpy() for r in tf.data.TFRecordDataset(prefix + compression, compression_type=compression)]
        if records != [bytes([i % 256]) * (i % 7) for i in range(COUNT)]:
            sys.exit(f"{compression or 'no compression'}: TensorFlow reads {len(records)} records, not what was written")
print(f"TensorFlow read {COUNT} records in each compression")
