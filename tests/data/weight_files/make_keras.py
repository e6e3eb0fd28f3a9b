"""Writes tf-sharded/ and dense.keras with the libraries that users have.

Needs: tensorflow 2.17, tf-keras, transformers 4.46 (the last with TensorFlow models), keras 3.5.
Run in this folder.
"""
import keras
import numpy as np
import tensorflow as tf
from transformers import GPT2Config, TFGPT2LMHeadModel

tf.random.set_seed(0)
config = GPT2Config(vocab_size=50, n_positions=16, n_embd=16, n_layer=2, n_head=2)
model = TFGPT2LMHeadModel(config)
model(tf.constant([[1, 2, 3]]))
model.save_pretrained("tf-sharded", max_shard_size="12KB")

inputs = keras.Input((3,), name="x")
outputs = keras.layers.Dense(2, name="head")(inputs)
dense = keras.Model(inputs, outputs)
dense.set_weights([np.arange(6, dtype="float32").reshape(3, 2), np.array([7, 8], "float32")])
dense.save("dense.keras")
