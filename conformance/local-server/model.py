"""Writes a tiny model for llama.cpp: `model.py FILE (short|endless)`.

It has no use but to speak. What follows a token depends on that token alone: attention and the feed-forward layer add
nothing, and the last matrix leads from the random vector of each token to the one that comes next. `short` says a sentence
and ends; `endless` says it again and again. The vocabulary is every byte and the words of tau's own documents, so that text
takes about as many tokens as with real models.
"""

import re
import sys
from collections import Counter
from pathlib import Path

import gguf
import numpy as np

# Each of them decides on the next, so none comes twice.
SENTENCE = ["Hello", " from", " a", " tiny", " model", ".", " It", " says", " so", " word", " by", " another", "!"]

CONTROL = ["<unk>", "<s>", "</s>", "<|system|>", "<|user|>", "<|assistant|>"]
TEMPLATE = (
    "{% for message in messages %}<|{{ 'assistant' if message.role == 'assistant' else 'system' if message.role in ['system', 'developer'] else 'user' }}|>"
    "{% if message.content is string %}{{ message.content }}{% elif message.content %}{% for part in message.content %}{{ part.text }}{% endfor %}{% endif %}\n"
    "{% endfor %}{% if add_generation_prompt %}<|assistant|>{% endif %}"
)
WORDS = 4000
WIDTH = 256
TRAINED_CONTEXT = 32768
# How much likelier the next token is than all others.
CERTAINTY = 60.0


def words():
    """The commonest words of the documents, with the blank before them, and what the model says."""
    documents = sorted((Path(__file__).parents[2] / "docs").glob("**/*.md"))
    text = "\n".join(document.read_text(encoding="utf-8") for document in documents)
    counted = Counter(word for word in re.findall(r" ?[A-Za-z]{2,}", text))
    common = [word for word, _ in sorted(counted.items(), key=lambda item: (-item[1], item[0]))[:WORDS]]
    return list(dict.fromkeys(SENTENCE + common))


def main(path, kind):
    tokens = [*CONTROL, *(f"\\x{byte:02x}" for byte in range(256)), *(word for word in words() if len(word) > 1)]
    index = {token: number for number, token in enumerate(tokens)}
    said = [word if len(word) > 1 else f"\\x{ord(word):02x}" for word in SENTENCE]
    steps = [("<|assistant|>", said[0]), *zip(said, said[1:]), (said[-1], "</s>" if kind == "short" else said[0])]

    random = np.random.default_rng(1)
    vectors = random.choice(np.array([-1.0, 1.0], dtype=np.float32), size=(len(tokens), WIDTH))
    output = np.zeros_like(vectors)
    for token, following in steps:
        output[index[following]] += vectors[index[token]] * (CERTAINTY / WIDTH)

    writer = gguf.GGUFWriter(path, "llama")
    writer.add_name(f"tau {kind}")
    writer.add_context_length(TRAINED_CONTEXT)
    writer.add_embedding_length(WIDTH)
    writer.add_block_count(1)
    writer.add_feed_forward_length(WIDTH)
    writer.add_head_count(4)
    writer.add_layer_norm_rms_eps(1e-6)
    writer.add_rope_dimension_count(WIDTH // 4)
    writer.add_vocab_size(len(tokens))
    # The longest token that fits is taken.
    writer.add_tokenizer_model("rwkv")
    writer.add_token_list(tokens)
    writer.add_token_types([gguf.TokenType.CONTROL if token in CONTROL else gguf.TokenType.NORMAL for token in tokens])
    writer.add_bos_token_id(index["<s>"])
    writer.add_eos_token_id(index["</s>"])
    writer.add_add_bos_token(False)
    writer.add_chat_template(TEMPLATE)
    square = np.zeros((WIDTH, WIDTH), dtype=np.float32)
    ones = np.ones(WIDTH, dtype=np.float32)
    writer.add_tensor("token_embd.weight", vectors)
    writer.add_tensor("output.weight", output)
    writer.add_tensor("output_norm.weight", ones)
    for name in ["attn_norm", "ffn_norm"]:
        writer.add_tensor(f"blk.0.{name}.weight", ones)
    for name in ["attn_q", "attn_k", "attn_v", "attn_output", "ffn_gate", "ffn_up", "ffn_down"]:
        writer.add_tensor(f"blk.0.{name}.weight", square)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
