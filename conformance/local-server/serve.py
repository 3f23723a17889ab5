"""Serves a model on the loopback interface until standard input ends: `serve.py FILE TOKENS`. Its first line is the address."""

import sys

import xllamacpp

params = xllamacpp.CommonParams()
params.model.path = sys.argv[1]
params.n_ctx = int(sys.argv[2])
params.n_parallel = 1
params.n_gpu_layers = 0
params.cpuparams.n_threads = 1
params.cpuparams_batch.n_threads = 1
params.hostnames = ["127.0.0.1"]
params.port = 0
params.warmup = False
params.ui = False
# Nothing is thrown away in silence when the context is full.
params.ctx_shift = False

server = xllamacpp.Server(params)
print(server.listening_address, flush=True)
sys.stdin.read()
