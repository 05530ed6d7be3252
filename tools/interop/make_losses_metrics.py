#!/usr/bin/env python3
"""make_losses_metrics.py: what TensorFlow's losses and Keras's metrics give, as tests/data/losses.json and metrics.json.

Needs tensorflow (pip install tensorflow-cpu). Run from the root of the checkout:

    python3 tools/interop/make_losses_metrics.py
"""
import json

import keras
import numpy as np
import tensorflow as tf

v1 = tf.compat.v1.losses
R = v1.Reduction
REDUCTIONS = [R.NONE, R.SUM, R.MEAN, R.SUM_OVER_BATCH_SIZE, R.SUM_BY_NONZERO_WEIGHTS]
rng = np.random.default_rng(7)


def tensor(value):
    value = np.asarray(value)
    return {"dtype": str(value.dtype), "shape": list(value.shape), "data": value.reshape(-1).tolist()}


def f32(*shape, low=-2.0, high=2.0):
    return np.round(rng.uniform(low, high, shape), 3).astype(np.float32)


def losses():
    cases = []

    def add(name, function, labels, predictions, weights=None, reduction=R.SUM_BY_NONZERO_WEIGHTS, **options):
        x = tf.constant(predictions)
        with tf.GradientTape() as tape:
            tape.watch(x)
            arguments = dict(options)
            if name != "MeanPairwiseSquaredError":
                arguments["reduction"] = reduction
            if weights is not None:
                arguments["weights"] = weights
            elif name == "MeanPairwiseSquaredError":
                arguments["weights"] = np.ones((1, 1), np.float32)  # eagerly a scalar counts the pairs of the whole batch
            value = function(labels, x, **arguments)
            total = tf.reduce_sum(value)
        case = {"loss": name, "labels": tensor(labels), "predictions": tensor(predictions), "reduction": reduction,
                "options": options, "value": tensor(value.numpy()), "gradient": tensor(tape.gradient(total, x).numpy())}
        if weights is not None:
            case["weights"] = tensor(np.asarray(weights, np.float32))
        cases.append(case)

    weights = [None, np.float32(0.5), np.float32(0), np.array([[1], [0], [2]], np.float32), f32(3, 4, low=0, high=2),
               np.array([[0, 1, 1, 0]] * 3, np.float32)]
    y, p = f32(3, 4), f32(3, 4)
    for w in weights:
        for reduction in REDUCTIONS:
            add("MeanSquaredError", v1.mean_squared_error, y, p, w, reduction)
    y01, prob = rng.integers(0, 2, (3, 4)).astype(np.float32), f32(3, 4, low=0.01, high=0.99)
    for w in (None, weights[3]):
        add("AbsoluteDifference", v1.absolute_difference, y, p, w)
        add("HingeLoss", v1.hinge_loss, y01, p, w)
        add("HuberLoss", v1.huber_loss, y, p, w)
        add("HuberLoss", v1.huber_loss, y, p, w, delta=0.3)
        add("LogLoss", v1.log_loss, y01, prob, w)
        add("LogLoss", v1.log_loss, y01, prob, w, epsilon=0.01)
        add("CosineDistance", v1.cosine_distance, y, p, w, axis=1)
        add("SigmoidCrossEntropy", v1.sigmoid_cross_entropy, y01, p * 30, w)
        add("SigmoidCrossEntropy", v1.sigmoid_cross_entropy, y01, p, w, label_smoothing=0.1)
        add("MeanPairwiseSquaredError", v1.mean_pairwise_squared_error, y, p, w)
    add("CosineDistance", v1.cosine_distance, y, p, None, axis=0)
    add("MeanSquaredError", v1.mean_squared_error, y.astype(np.int32), p)
    one_hot = np.eye(4, dtype=np.float32)[[2, 0, 3]]
    for w in (None, np.array([1, 0, 2], np.float32)):
        add("SoftmaxCrossEntropy", v1.softmax_cross_entropy, one_hot, p, w)
        add("SoftmaxCrossEntropy", v1.softmax_cross_entropy, one_hot, p, w, R.NONE, label_smoothing=0.2)
        add("SparseSoftmaxCrossEntropy", v1.sparse_softmax_cross_entropy, np.array([2, 0, 3], np.int32), p, w)
        add("SparseSoftmaxCrossEntropy", v1.sparse_softmax_cross_entropy, np.array([[2], [0], [3]], np.int64), p, w, R.NONE)
    deep = f32(2, 3, 4)
    add("SoftmaxCrossEntropy", v1.softmax_cross_entropy, np.eye(4, dtype=np.float32)[[[1, 0, 2], [3, 3, 0]]], deep, None, R.NONE)
    add("SparseSoftmaxCrossEntropy", v1.sparse_softmax_cross_entropy, np.array([[1, 0, 2], [3, 3, 0]], np.int32), deep,
        np.array([[1, 0, 1], [2, 1, 0]], np.float32))
    return cases


def metrics():
    cases = []

    def add(name, metric, updates, **options):
        """updates: lists of (labels, predictions) or (values,), each with a weight or None."""
        steps = []
        for arguments, weight in updates:
            metric.update_state(*arguments, sample_weight=weight)
            step = {"arguments": [tensor(a) for a in arguments], "result": tensor(np.asarray(metric.result(), np.float32))}
            if weight is not None:
                step["weight"] = tensor(weight)
            steps.append(step)
        cases.append({"metric": name, "options": options, "steps": steps})

    M = keras.metrics
    w = np.array([1, 0, 0.5, 2], np.float32)
    add("Mean", M.Mean(), [((np.float32(0),), None), ((np.float32(5),), None), ((np.array([8, 9], np.float32),), None)])
    add("Mean", M.Mean(), [((f32(4, 3),), w), ((f32(4),), w)])
    add("Sum", M.Sum(), [((f32(4),), w), ((f32(2, 3),), None)])
    a, b = rng.integers(0, 3, (4, 1)), rng.integers(0, 3, (4, 1))
    add("Accuracy", M.Accuracy(), [((a, b), None), ((a, a), w)])
    binary = rng.integers(0, 2, (4, 1)).astype(np.float32)
    add("BinaryAccuracy", M.BinaryAccuracy(), [((binary, f32(4, 1, low=0, high=1)), None), ((binary, f32(4, 1, low=0, high=1)), w)])
    add("BinaryAccuracy", M.BinaryAccuracy(threshold=0.3), [((binary, f32(4, 1, low=0, high=1)), None)], threshold=0.3)
    labels = np.array([0, 5, 2, 3])
    for weight in (None, w):
        p = f32(4, 7)
        add("CategoricalAccuracy", M.CategoricalAccuracy(), [((np.eye(7, dtype=np.float32)[labels], p), weight)])
        add("SparseCategoricalAccuracy", M.SparseCategoricalAccuracy(), [((labels, p), weight), ((labels[:, None], f32(4, 7)), weight)])
        for k in (1, 3, 5):
            add("TopKCategoricalAccuracy", M.TopKCategoricalAccuracy(k=k), [((np.eye(7, dtype=np.float32)[labels], p), weight)], k=k)
            add("SparseTopKCategoricalAccuracy", M.SparseTopKCategoricalAccuracy(k=k), [((labels.astype(np.int32), p), weight)], k=k)
    ties = np.array([[1, 1, 1, 0], [0, 1, 1, 1]], np.float32)
    add("SparseTopKCategoricalAccuracy", M.SparseTopKCategoricalAccuracy(k=1), [((np.array([0, 3], np.int32), ties), None)], k=1)
    y, p = f32(4, 3), f32(4, 3)
    for weight in (None, w):
        add("MeanSquaredError", M.MeanSquaredError(), [((y, p), weight)])
        add("RootMeanSquaredError", M.RootMeanSquaredError(), [((y, p), weight), ((p, y * 2), weight)])
        add("MeanAbsoluteError", M.MeanAbsoluteError(), [((y, p), weight)])
    n = 40
    truth, score = rng.integers(0, 2, n).astype(np.float32), f32(n, low=0, high=1)
    score[:5] = [0, 1, 0.5, 0.5, 1 / 3]
    weight = f32(n, low=0, high=2)
    more = (rng.integers(0, 2, (5, 4)).astype(np.float32), f32(5, 4, low=0, high=1))
    for metric, name in ((M.Precision, "Precision"), (M.Recall, "Recall")):
        add(name, metric(), [((truth, score), None), (more, None)])
        add(name, metric(thresholds=[0.2, 0.5, 0.9]), [((truth, score), weight)], thresholds=[0.2, 0.5, 0.9])
        add(name, metric(), [((np.zeros(3, np.float32), np.zeros(3, np.float32)), None)])
    for curve in ("ROC", "PR"):
        for method in ("interpolation", "minoring", "majoring"):
            add("AUC", M.AUC(curve=curve, summation_method=method), [((truth, score), None), ((truth, score[::-1]), weight)], curve=curve,
                summation_method=method)
            add("AUC", M.AUC(num_thresholds=5, curve=curve, summation_method=method), [(more, None)], curve=curve, summation_method=method,
                num_thresholds=5)
    classes, guesses = rng.integers(0, 3, 12), rng.integers(0, 3, 12)
    add("MeanIoU", M.MeanIoU(num_classes=4), [((classes, guesses), None), ((classes, guesses[::-1]), rng.integers(0, 3, 12).astype(np.float32))], num_classes=4)
    matrix = tf.math.confusion_matrix(classes, guesses, 4).numpy().astype(np.float32)
    cases.append({"metric": "ConfusionMatrix", "options": {"num_classes": 4},
                  "steps": [{"arguments": [tensor(classes), tensor(guesses)], "result": tensor(matrix)}]})
    return cases


def write(path, cases):
    with open(path, "w", encoding="utf-8") as file:
        file.write("[\n" + ",\n".join(json.dumps(case) for case in cases) + "\n]\n")


write("tests/data/losses.json", losses())
write("tests/data/metrics.json", metrics())
