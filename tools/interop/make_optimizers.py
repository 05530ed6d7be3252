"""Writes twenty steps of each optimizer by TensorFlow, for tests/eager/train/optimizers_test.cc.

  python tools/interop/make_optimizers.py tests/data/optimizers.txt

A line is a key and numbers: the variable's start, of each step the dense gradient and the sparse one (indices, values), and
for each optimizer the variable after each step. The optimizers of tf.compat.v1.train; AdamW and Lamb are Keras's.
"""
import sys

import numpy as np
import tensorflow as tf

v1 = tf.compat.v1.train
STEPS, SHAPE = 20, (4, 3)


OPTIMIZERS = {
    "GradientDescent": lambda: v1.GradientDescentOptimizer(0.1),
    "Momentum": lambda: v1.MomentumOptimizer(0.1, 0.9),
    "NesterovMomentum": lambda: v1.MomentumOptimizer(0.1, 0.9, use_nesterov=True),
    "Adam": lambda: v1.AdamOptimizer(0.01),
    "Adagrad": lambda: v1.AdagradOptimizer(0.1),
    "RMSProp": lambda: v1.RMSPropOptimizer(0.01, momentum=0.5),
    "CenteredRMSProp": lambda: v1.RMSPropOptimizer(0.01, momentum=0.5, centered=True),
    "Adadelta": lambda: v1.AdadeltaOptimizer(1.0),
    "Ftrl": lambda: v1.FtrlOptimizer(0.1, l1_regularization_strength=0.01, l2_regularization_strength=0.02),
    "FtrlPower": lambda: v1.FtrlOptimizer(0.1, learning_rate_power=-0.7, l1_regularization_strength=0.01),
    "AdamW": lambda: tf.keras.optimizers.AdamW(0.01, weight_decay=0.1),
    "Lamb": lambda: tf.keras.optimizers.Lamb(0.01),
}
NO_SPARSE = ("AdamW", "Lamb")


def run(make, gradients, start):
    optimizer = make()
    variable = tf.Variable(start)
    after = []
    for gradient in gradients:
        optimizer.apply_gradients([(gradient, variable)])
        after.append(variable.numpy())
    return after


def main(path):
    rng = np.random.default_rng(7)
    start = rng.normal(size=SHAPE).astype(np.float32)
    dense = rng.normal(size=(STEPS, *SHAPE)).astype(np.float32)
    indices = rng.integers(0, SHAPE[0], size=(STEPS, 3)).astype(np.int32)  # duplicates among them
    values = rng.normal(size=(STEPS, 3, SHAPE[1])).astype(np.float32)
    slices = [tf.IndexedSlices(tf.constant(v), tf.constant(i), tf.constant(SHAPE)) for v, i in zip(values, indices)]
    lines = [("start", start)]
    for step in range(STEPS):
        lines += [("dense", dense[step]), ("indices", indices[step]), ("values", values[step])]
    for name, make in OPTIMIZERS.items():
        for form, gradients in (("dense", [tf.constant(g) for g in dense]), ("sparse", slices)):
            if form == "dense" or name not in NO_SPARSE:
                lines += [(f"{name}/{form}", after) for after in run(make, gradients, start)]
    with open(path, "w") as f:
        for key, numbers in lines:
            f.write(" ".join([key] + ["%.9g" % x for x in np.reshape(numbers, -1)]) + "\n")


if __name__ == "__main__":
    main(sys.argv[1])
