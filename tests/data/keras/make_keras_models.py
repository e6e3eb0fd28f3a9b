"""Writes functional models of Keras's own layers, and what Keras computes with them.

pre.keras and post.h5 are transformers with the norms before and after attention and MLP, with
random weights; wide.keras is like pre.keras with values wider than keys; pre-legacy.h5 is the former as tf-keras (Keras 2) saves it, post.h5 in Keras 3's
way of writing that format. odd.keras has attention layers, but no transformer blocks; inner.keras and
inner.h5 have them inside of a layer of their own, subclassed.keras inside of a model class of its own.
Needs keras 3.5, tf-keras 2.17, h5py and tensorflow.
"""

import os
from pathlib import Path

os.environ["KERAS_BACKEND"] = "tensorflow"

import h5py
import keras
import numpy as np
import tf_keras

HERE = Path(__file__).parent
LENGTH, VOCABULARY, WIDTH = 13, 37, 20


def mlp(layers, x):
    return layers.Dropout(0.1)(layers.Dense(WIDTH)(layers.Dense(28, activation="gelu")(x)))


def pre(library, value_dim=None):
    layers = library.layers
    x = tokens = library.Input((LENGTH,), dtype="int32", name="tokens")
    x = layers.Embedding(VOCABULARY, WIDTH)(x)
    for i in range(2):
        y = layers.LayerNormalization(epsilon=1e-6)(x)
        attention = layers.MultiHeadAttention(3, 6, value_dim, name=f"attention_{i}")
        x = layers.Add()([x, attention(y, y, use_causal_mask=True)])
        x = x + mlp(layers, layers.LayerNormalization(epsilon=1e-6)(x))
    x = layers.LayerNormalization(epsilon=1e-6)(x)
    return library.Model(tokens, layers.Dense(VOCABULARY, use_bias=False)(x))


def post(library):
    layers = library.layers
    x = tokens = library.Input((LENGTH,), dtype="int32", name="tokens")
    x = layers.Embedding(VOCABULARY, WIDTH)(x)
    for i in range(3):
        y = layers.MultiHeadAttention(4, 5, name=f"attention_{i}")(query=x, value=x)
        x = layers.LayerNormalization()(layers.Add()([layers.Dropout(0.1)(y), x]))
        x = layers.LayerNormalization()(layers.Add()([x, mlp(layers, x)]))
    return library.Model(tokens, layers.Dense(2)(layers.GlobalAveragePooling1D()(x)))


def odd(library):
    layers = library.layers
    x = tokens = library.Input((LENGTH,), dtype="int32", name="tokens")
    x = layers.Embedding(VOCABULARY, WIDTH)(x)
    for i in range(2):
        attention = layers.MultiHeadAttention(3, 6, name=f"attention_{i}")
        x = layers.Dense(WIDTH)(layers.Concatenate()([x, attention(x, x)]))
    return library.Model(tokens, x)


@keras.saving.register_keras_serializable()
class Block(keras.layers.Layer):
    def __init__(self, **more):
        super().__init__(**more)
        self.att = keras.layers.MultiHeadAttention(3, 4)
        self.dense = keras.layers.Dense(WIDTH)

    def call(self, x):
        return self.dense(x + self.att(x, x))


def inner(library):
    x = tokens = library.Input((LENGTH,), dtype="int32", name="tokens")
    x = library.layers.Embedding(VOCABULARY, WIDTH)(x)
    for i in range(2):
        x = Block(name=f"block_{i}")(x)
    return library.Model(tokens, x)


@keras.saving.register_keras_serializable()
class Subclassed(keras.Model):
    def __init__(self, **more):
        super().__init__(**more)
        self.embed = keras.layers.Embedding(VOCABULARY, WIDTH)
        self.first, self.second = Block(), Block()

    def call(self, tokens):
        return self.second(self.first(self.embed(tokens)))


def randomise(model, seed):
    generator = np.random.default_rng(seed)
    values = [0.4 * generator.standard_normal(w.shape).astype(np.float32)
              for w in model.get_weights()]
    model.set_weights([1 + v if "gamma" in w.name else v for w, v in zip(model.weights, values)])
    return model


def patterns(library, model, ids, causal):
    """What each attention layer sees, asked again for its scores."""
    found = []
    for layer in (l for l in model.layers if "attention" in l.name):
        inputs = layer.input[0] if isinstance(layer.input, (list, tuple)) else layer.input
        x = library.Model(model.input, inputs)(ids[None])
        found.append(np.array(layer(x, x, use_causal_mask=causal, return_attention_scores=True)[1]))
    return np.concatenate(found)


def save_reference(name, ids, **arrays):
    with h5py.File(HERE / f"{name}.reference.h5", "w") as file:
        for key, array in {"input_ids": ids, **arrays}.items():
            file.create_dataset(key, data=array, track_times=False)


ids = np.random.default_rng(1).integers(0, VOCABULARY, LENGTH).astype(np.int32)
model = randomise(pre(keras), 2)
model.save(HERE / "pre.keras")
save_reference("pre", ids, attentions=patterns(keras, model, ids, causal=True),
               logits=np.array(model(ids[None]))[0])

model = randomise(pre(keras, value_dim=9), 5)
model.save(HERE / "wide.keras")
save_reference("wide", ids, attentions=patterns(keras, model, ids, causal=True),
               logits=np.array(model(ids[None]))[0])

model = keras.models.load_model(HERE / "pre.keras")
legacy = pre(tf_keras)
legacy.set_weights(model.get_weights())
assert np.allclose(legacy(ids[None]), model(ids[None]), atol=1e-5)
legacy.save(HERE / "pre-legacy.h5")

model = randomise(odd(keras), 4)
model.save(HERE / "odd.keras")
last = [w.numpy() for w in model.get_layer("attention_1").weights]
save_reference("odd", ids, W_Q=last[0].reshape(WIDTH, 18), b_K=last[3].reshape(18),
               W_O=last[6].reshape(18, WIDTH))

model = randomise(inner(keras), 6)
model.save(HERE / "inner.keras")
model.save(HERE / "inner.h5")
last = [w.numpy() for w in model.get_layer("block_1").att.weights]
save_reference("inner", ids, W_Q=last[0].reshape(WIDTH, 12), b_K=last[3].reshape(12), W_O=last[6].reshape(12, WIDTH))
model = Subclassed()
model(ids[None])
randomise(model, 7).save(HERE / "subclassed.keras")

model = randomise(post(keras), 3)
model.save(HERE / "post.h5")
pooled = next(l for l in model.layers if "pooling" in l.name)
last = np.array(keras.Model(model.input, pooled.input)(ids[None]))
states = [np.array(keras.Model(model.input, l.input[0] if isinstance(l.input, list) else l.input)(
    ids[None])) for l in model.layers if "attention" in l.name]
save_reference("post", ids, attentions=patterns(keras, model, ids, causal=False),
               hidden_states=np.concatenate([*states, last]))
