#!/usr/bin/env python3
"""What Keras's layers give: tests/data/keras/*.json.

    python3 tools/interop/make_keras_layers.py            # needs TensorFlow and Keras from PyPI

Each case is a layer with weights set, its inputs, its output, and the gradients of sum(output * dy) by the weights and
by floating inputs. Weights are in the order of Keras's layer.weights, gradients null where there is none.
"""
import json
import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
os.environ["CUDA_VISIBLE_DEVICES"] = "-1"
import keras
import numpy as np
import tensorflow as tf
from keras import layers as L

random = np.random.RandomState(1)
FOLDER = os.path.join(os.path.dirname(__file__), "..", "..", "tests", "data", "keras")


def uniform(*shape):
    return random.uniform(-1, 1, shape).astype("float32")


def as_json(a):
    if a is None:
        return None
    a = np.asarray(a)
    if a.dtype.kind == "f":
        data = [float("%.9g" % v) for v in a.ravel()]
        return {"dtype": "float32", "shape": list(a.shape), "data": data}
    return {"dtype": str(a.dtype), "shape": list(a.shape), "data": [int(v) for v in a.ravel()]}


def case(layer, *inputs, training=False, spread=1.0, **arguments):
    tensors = [tf.constant(x) for x in inputs]

    def call():
        first = tensors[0] if len(tensors) == 1 else tensors
        if isinstance(layer, L.MultiHeadAttention):
            return layer(*tensors, training=training, **arguments)
        return layer(first, training=training, **arguments)

    call()
    weights = [(spread * uniform(*w.shape)).astype("float32") for w in layer.weights]
    for i, w in enumerate(layer.weights):
        if "variance" in w.name:
            weights[i] = np.abs(weights[i]) + 0.5
        w.assign(weights[i])
    with tf.GradientTape() as tape:
        floating = [t for t in tensors if t.dtype.is_floating]
        for t in floating:
            tape.watch(t)
        y = call()
        outputs = list(y) if isinstance(y, (list, tuple)) else [y]
        dy = [uniform(*o.shape) for o in outputs]
        loss = tf.add_n([tf.reduce_sum(o * d) for o, d in zip(outputs, dy)])
    sources = [w.value for w in layer.weights] + floating
    grads = tape.gradient(loss, sources)
    grads = [tf.convert_to_tensor(g) if g is not None else None for g in grads]
    n = len(layer.weights)
    out = {
        "inputs": [as_json(x) for x in inputs],
        "weights": [as_json(w) for w in weights],
        "dy": [as_json(d) for d in dy],
        "outputs": [as_json(o) for o in outputs],
        "weight_gradients": [as_json(g) for g in grads[:n]],
        "input_gradients": [as_json(g) for g in grads[n:]],
    }
    if "mask" in arguments:
        out["mask"] = as_json(arguments["mask"].astype("int32"))
    if "attention_mask" in arguments:
        out["mask"] = as_json(arguments["attention_mask"].astype("int32"))
    if training:
        out["weights_after"] = [as_json(w.numpy()) for w in layer.weights]
    return out


def summaries():
    """Keras's tables, for models the test builds too."""
    keras.backend.clear_session()
    out = {}

    def table(model):
        lines = []
        model.summary(print_fn=lambda s, line_break=True: lines.append(s), line_length=76)
        return "".join(lines)

    out["sequential"] = table(keras.Sequential([
        keras.Input((28, 28, 1)), L.Conv2D(8, 3), L.MaxPooling2D(), L.BatchNormalization(), L.Flatten(), L.Dropout(.5),
        L.Dense(10000, name="a_very_long_name_for_a_layer_indeed_it_is"), L.Dense(10)]))
    unbuilt = keras.Sequential([L.Dense(3), L.Flatten()], name="with_a_name")
    out["unbuilt"] = table(unbuilt)
    unbuilt(np.zeros((2, 4), "float32"))
    out["built by a call"] = table(unbuilt)

    class MnistModel(keras.Model):
        def __init__(self):
            super().__init__()
            self.dense1 = L.Dense(10)
            self.dense2 = L.Dense(10)
            self.unused = L.BatchNormalization()

        def call(self, x):
            return self.dense2(self.dense2(self.dense1(x)))

    model = MnistModel()
    model(np.zeros((1, 1, 784), "float32"))
    model.dense1.trainable = False
    out["subclass"] = table(model)
    return out


steps = np.array([[1, 1, 1, 1], [1, 1, 0, 0], [0, 1, 1, 0]], bool)  # the last starts late and ends early

GROUPS = {
    "core": lambda: {
        "dense": case(L.Dense(3), uniform(2, 4)),
        "dense relu rank 3": case(L.Dense(3, activation="relu"), uniform(2, 3, 4)),
        "dense softmax no bias": case(L.Dense(4, activation="softmax", use_bias=False), uniform(3, 2)),
        "flatten": case(L.Flatten(), uniform(2, 3, 2)),
        "embedding": case(L.Embedding(5, 3), np.array([[0, 4, 2], [2, 2, 1]], "int32")),
        "layer normalization": case(L.LayerNormalization(), uniform(3, 5)),
        "layer normalization axes": case(L.LayerNormalization(axis=[1, 2]), uniform(2, 3, 4)),
        "layer normalization bare": case(L.LayerNormalization(center=False, scale=False), uniform(2, 3, 4)),
        "batch normalization": case(L.BatchNormalization(), uniform(2, 3, 3, 2)),
        "batch normalization training": case(L.BatchNormalization(momentum=.9), uniform(2, 3, 3, 2), training=True),
        "batch normalization matrix": case(L.BatchNormalization(), uniform(4, 3)),
        "batch normalization matrix training": case(L.BatchNormalization(momentum=.9), uniform(4, 3), training=True),
        "batch normalization axis 1 training": case(L.BatchNormalization(axis=1), uniform(2, 3, 2, 2), training=True),
        "batch normalization no scale": case(L.BatchNormalization(scale=False), uniform(4, 3)),
    },
    "convolution": lambda: {
        "conv1d": case(L.Conv1D(3, 2), uniform(2, 5, 2)),
        "conv1d same stride": case(L.Conv1D(3, 3, strides=2, padding="same"), uniform(2, 6, 2)),
        "conv1d causal dilated": case(L.Conv1D(2, 2, padding="causal", dilation_rate=2, activation="tanh"), uniform(2, 5, 2)),
        "conv2d": case(L.Conv2D(3, 2), uniform(2, 4, 5, 2)),
        "conv2d same stride": case(L.Conv2D(2, (3, 2), strides=(2, 1), padding="same", activation="relu"), uniform(2, 4, 5, 2)),
        "conv2d dilated": case(L.Conv2D(2, 2, dilation_rate=2, use_bias=False), uniform(1, 5, 5, 2)),
        "conv2d groups": case(L.Conv2D(4, 2, groups=2), uniform(1, 3, 3, 4)),
        "depthwise": case(L.DepthwiseConv2D(2), uniform(2, 4, 4, 3)),
        "depthwise multiplier": case(L.DepthwiseConv2D(3, strides=2, padding="same", depth_multiplier=2), uniform(1, 5, 5, 2)),
        "separable": case(L.SeparableConv2D(3, 2, depth_multiplier=2, padding="same"), uniform(1, 4, 4, 2)),
        "transposed": case(L.Conv2DTranspose(3, 3, strides=2), uniform(2, 3, 2, 2)),
        "transposed same": case(L.Conv2DTranspose(2, 3, strides=2, padding="same", activation="relu"), uniform(1, 3, 3, 2)),
        "max pooling 1d": case(L.MaxPooling1D(2), uniform(2, 5, 3)),
        "max pooling 2d": case(L.MaxPooling2D((2, 3), strides=(1, 2), padding="same"), uniform(1, 4, 5, 2)),
        "average pooling 1d": case(L.AveragePooling1D(3, strides=1, padding="same"), uniform(2, 5, 2)),
        "average pooling 2d": case(L.AveragePooling2D(2), uniform(2, 4, 5, 2)),
        "global max pooling 1d": case(L.GlobalMaxPooling1D(), uniform(2, 5, 3)),
        "global max pooling 2d": case(L.GlobalMaxPooling2D(keepdims=True), uniform(2, 3, 4, 2)),
        "global average pooling 1d": case(L.GlobalAveragePooling1D(), uniform(2, 5, 3)),
        "global average pooling 2d": case(L.GlobalAveragePooling2D(), uniform(2, 3, 4, 2)),
        "zero padding": case(L.ZeroPadding2D(((1, 0), (0, 2))), uniform(1, 2, 2, 2)),
    },
    "recurrent": lambda: {
        "lstm": case(L.LSTM(3), uniform(3, 4, 2)),
        "lstm sequences": case(L.LSTM(3, return_sequences=True, return_state=True), uniform(3, 4, 2)),
        "lstm masked": case(L.LSTM(3, return_sequences=True), uniform(3, 4, 2), mask=steps),
        "lstm masked last": case(L.LSTM(3), uniform(3, 4, 2), mask=steps),
        "lstm backwards no bias": case(L.LSTM(2, go_backwards=True, use_bias=False, return_sequences=True), uniform(2, 3, 2)),
        "gru": case(L.GRU(3), uniform(3, 4, 2)),
        "gru reset before": case(L.GRU(3, reset_after=False, return_sequences=True), uniform(3, 4, 2)),
        "gru masked": case(L.GRU(3, return_sequences=True, return_state=True), uniform(3, 4, 2), mask=steps),
        "simple rnn": case(L.SimpleRNN(3, return_sequences=True), uniform(3, 4, 2)),
        "simple rnn masked": case(L.SimpleRNN(3), uniform(3, 4, 2), mask=steps),
        "bidirectional": case(L.Bidirectional(L.LSTM(2)), uniform(3, 4, 2)),
        "bidirectional sequences": case(L.Bidirectional(L.GRU(2, return_sequences=True), merge_mode="sum"), uniform(3, 4, 2)),
        "bidirectional masked": case(L.Bidirectional(L.LSTM(2, return_sequences=True)), uniform(3, 4, 2), mask=steps),
    },
    "attention": lambda: {
        "self": case(L.MultiHeadAttention(2, 3), *[uniform(2, 4, 5)] * 2),
        "cross": case(L.MultiHeadAttention(2, 3, value_dim=2, output_shape=4), uniform(2, 3, 5), uniform(2, 4, 6), uniform(2, 4, 5)),
        "masked": case(L.MultiHeadAttention(2, 3, use_bias=False), uniform(2, 3, 4), uniform(2, 3, 4),
                       attention_mask=np.array([[[1, 0, 0], [1, 1, 0], [0, 1, 1]], [[1, 1, 1], [0, 1, 0], [1, 0, 1]]], bool)),
        "causal": case(L.MultiHeadAttention(1, 2), uniform(1, 4, 3), uniform(1, 4, 3), use_causal_mask=True),
    },
    "summaries": summaries,
}

if __name__ == "__main__":
    os.makedirs(FOLDER, exist_ok=True)
    for name, make in GROUPS.items():
        random.seed(1)
        with open(os.path.join(FOLDER, name + ".json"), "w") as out:
            json.dump(make(), out, separators=(",", ":"), ensure_ascii=False)
            out.write("\n")
