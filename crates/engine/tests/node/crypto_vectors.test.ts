// Published test vectors: of the standards that define each algorithm, so that what tau makes is what everybody makes.
import { test } from "node:test";
import assert from "node:assert";
import crypto from "node:crypto";

const hex = (text: string) => Buffer.from(text.replace(/\s/g, ""), "hex");
const base64url = (text: string) => hex(text).toString("base64url");
const { subtle } = globalThis.crypto;

/** Feeds a cipher in pieces of that many bytes. */
function feed(cipher: any, text: Buffer, size: number): Buffer {
  const parts: Buffer[] = [];
  for (let at = 0; at < text.length; at += size) parts.push(cipher.update(text.subarray(at, at + size)));
  return Buffer.concat([...parts, cipher.final()]);
}

const SIZES = [1, 7, 16, 33, 1000];

// McGrew and Viega, "The Galois/Counter Mode of Operation", appendix B: key, iv, data, plain, encrypted, tag.
const LONG = "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a721c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39";
const DATA = "feedfacedeadbeeffeedfacedeadbeefabaddad2";
const LONG_IV =
  "9313225df88406e555909c5aff5269aa6a7a9538534f7da1e4c303d2a318a728c3c0c95156809539fcf0e2429a6b525416aedbf5a0de6a57a637b39b";
const GCM: string[][] = [
  ["00000000000000000000000000000000", "000000000000000000000000", "", "", "", "58e2fccefa7e3061367f1d57a4e7455a"],
  ["00000000000000000000000000000000", "000000000000000000000000", "", "00000000000000000000000000000000", "0388dace60b6a392f328c2b971b2fe78", "ab6e47d42cec13bdf53a67b21257bddf"],
  ["feffe9928665731c6d6a8f9467308308", "cafebabefacedbaddecaf888", "", `${LONG}1aafd255`, "42831ec2217774244b7221b784d0d49ce3aa212f2c02a4e035c17e2329aca12e21d514b25466931c7d8f6a5aac84aa051ba30b396a0aac973d58e091473f5985", "4d5c2af327cd64a62cf35abd2ba6fab4"],
  ["feffe9928665731c6d6a8f9467308308", "cafebabefacedbaddecaf888", DATA, LONG, "42831ec2217774244b7221b784d0d49ce3aa212f2c02a4e035c17e2329aca12e21d514b25466931c7d8f6a5aac84aa051ba30b396a0aac973d58e091", "5bc94fbc3221a5db94fae95ae7121a47"],
  ["feffe9928665731c6d6a8f9467308308", "cafebabefacedbad", DATA, LONG, "61353b4c2806934a777ff51fa22a4755699b2a714fcdc6f83766e5f97b6c742373806900e49f24b22b097544d4896b424989b5e1ebac0f07c23f4598", "3612d2e79e3b0785561be14aaca2fccb"],
  ["feffe9928665731c6d6a8f9467308308", LONG_IV, DATA, LONG, "8ce24998625615b603a033aca13fb894be9112a5c3a211a8ba262a3cca7e2ca701e4a9a4fba43c90ccdcb281d48c7c6fd62875d2aca417034c34aee5", "619cc5aefffe0bfa462af43c1699d050"],
  ["000000000000000000000000000000000000000000000000", "000000000000000000000000", "", "", "", "cd33b28ac773f74ba00ed1f312572435"],
  ["000000000000000000000000000000000000000000000000", "000000000000000000000000", "", "00000000000000000000000000000000", "98e7247c07f0fe411c267e4384b0f600", "2ff58d80033927ab8ef4d4587514f0fb"],
  ["feffe9928665731c6d6a8f9467308308feffe9928665731c", "cafebabefacedbaddecaf888", "", `${LONG}1aafd255`, "3980ca0b3c00e841eb06fac4872a2757859e1ceaa6efd984628593b40ca1e19c7d773d00c144c525ac619d18c84a3f4718e2448b2fe324d9ccda2710acade256", "9924a7c8587336bfb118024db8674a14"],
  ["feffe9928665731c6d6a8f9467308308feffe9928665731c", "cafebabefacedbaddecaf888", DATA, LONG, "3980ca0b3c00e841eb06fac4872a2757859e1ceaa6efd984628593b40ca1e19c7d773d00c144c525ac619d18c84a3f4718e2448b2fe324d9ccda2710", "2519498e80f1478f37ba55bd6d27618c"],
  ["0000000000000000000000000000000000000000000000000000000000000000", "000000000000000000000000", "", "", "", "530f8afbc74536b9a963b4f1c4cb738b"],
  ["0000000000000000000000000000000000000000000000000000000000000000", "000000000000000000000000", "", "00000000000000000000000000000000", "cea7403d4d606b6e074ec5d3baf39d18", "d0d1c8a799996bf0265b98b5d48ab919"],
  ["feffe9928665731c6d6a8f9467308308feffe9928665731c6d6a8f9467308308", "cafebabefacedbaddecaf888", "", `${LONG}1aafd255`, "522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa8cb08e48590dbb3da7b08b1056828838c5f61e6393ba7a0abcc9f662898015ad", "b094dac5d93471bdec1a502270e3cc6c"],
  ["feffe9928665731c6d6a8f9467308308feffe9928665731c6d6a8f9467308308", "cafebabefacedbaddecaf888", DATA, LONG, "522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa8cb08e48590dbb3da7b08b1056828838c5f61e6393ba7a0abcc9f662", "76fc6ece0f4e1768cddf8853bb2d551b"],
  ["feffe9928665731c6d6a8f9467308308feffe9928665731c6d6a8f9467308308", "cafebabefacedbad", DATA, LONG, "c3762df1ca787d32ae47c13bf19844cbaf1ae14d0b976afac52ff7d79bba9de0feb582d33934a4f0954cc2363bc73f7862ac430e64abe499f47c9b1f", "3a337dbf46a792c45e454913fe2ea8f2"],
  ["feffe9928665731c6d6a8f9467308308feffe9928665731c6d6a8f9467308308", LONG_IV, DATA, LONG, "5a8def2f0c9e53f1f75d7853659e2a20eeb2b22aafde6419a058ab4f6f746bf40fc0c3b780f244452da3ebf1c5d82cdea2418997200ef82e44ae7e3f", "a44a8266ee1c8eb0c8b5d4cf5ae9f19a"],
];

function authenticated(name: string, [key, iv, data, plain, encrypted, tag]: Buffer[]): void {
  for (const size of SIZES) {
    const cipher = crypto.createCipheriv(name as any, key, iv, { authTagLength: 16 } as any) as crypto.CipherGCM;
    if (data.length) cipher.setAAD(data);
    assert.strictEqual(feed(cipher, plain, size).toString("hex"), encrypted.toString("hex"), name);
    assert.strictEqual(cipher.getAuthTag().toString("hex"), tag.toString("hex"), name);
    const open = (text: Buffer, tag: Buffer, data: Buffer) => {
      const decipher = crypto.createDecipheriv(name as any, key, iv, { authTagLength: 16 } as any) as crypto.DecipherGCM;
      if (data.length) decipher.setAAD(data);
      return feed(decipher.setAuthTag(tag), text, size);
    };
    assert.strictEqual(open(encrypted, tag, data).toString("hex"), plain.toString("hex"), name);
    const refused = { message: "Unsupported state or unable to authenticate data" };
    const changed = (bytes: Buffer, at: number) => Buffer.from(bytes.map((byte, place) => (place === at ? byte ^ 128 : byte)));
    for (const at of [0, 15]) assert.throws(() => open(encrypted, changed(tag, at), data), refused);
    if (encrypted.length) assert.throws(() => open(changed(encrypted, encrypted.length - 1), tag, data), refused);
    if (data.length) assert.throws(() => open(encrypted, tag, changed(data, 3)), refused);
  }
}

test("AES-GCM: the cases of its specification", () => {
  for (const vector of GCM) authenticated(`aes-${vector[0].length * 4}-gcm`, vector.map(hex));
});

test("AES-GCM in Web Crypto", async () => {
  for (const [key, iv, additionalData, plain, encrypted, tag] of GCM.map((vector) => vector.map(hex))) {
    // Node refuses a short vector here.
    if (iv.length < 12) continue;
    const made = await subtle.importKey("raw", key as any, "AES-GCM", false, ["encrypt", "decrypt"]);
    const options: any = { name: "AES-GCM", iv, ...(additionalData.length && { additionalData }) };
    const both = Buffer.from(await subtle.encrypt(options, made, plain as any));
    assert.strictEqual(both.toString("hex"), Buffer.concat([encrypted, tag]).toString("hex"));
    assert.deepStrictEqual(Buffer.from(await subtle.decrypt(options, made, both as any)), plain);
    both[both.length - 1] ^= 1;
    await assert.rejects(subtle.decrypt(options, made, both as any), (error: any) => error.name === "OperationError");
  }
});

const SUNSCREEN =
  "Ladies and Gentlemen of the class of '99: If I could offer you only one tip for the future, sunscreen would be it.";

test("ChaCha20-Poly1305: RFC 8439, 2.8.2", () => {
  authenticated("chacha20-poly1305", [
    hex("808182838485868788898a8b8c8d8e8f909192939495969798999a9b9c9d9e9f"),
    hex("070000004041424344454647"),
    hex("50515253c0c1c2c3c4c5c6c7"),
    Buffer.from(SUNSCREEN),
    hex(`d31a8d34648e60db7b86afbc53ef7ec2 a4aded51296e08fea9e2b5a736ee62d6 3dbea45e8ca9671282fafb69da92728b 1a71de0a9e060b2905d6a5b67ecd3b36
      92ddbd7f2d778b8c9803aee328091b58 fab324e4fad675945585808b4831d7bc 3ff4def08e4b7a9de576d26586cec64b 6116`),
    hex("1ae10b594f09e26a7e902ecbd0600691"),
  ]);
});

test("AES in CBC, CTR and ECB: NIST SP 800-38A, appendix F", async () => {
  const plain = hex(`6bc1bee22e409f96e93d7e117393172a ae2d8a571e03ac9c9eb76fac45af8e51 30c81c46a35ce411e5fbc1191a0a52ef f69f2445df4f9b17ad2b417be66c3710`);
  const keys: Record<string, string> = {
    128: "2b7e151628aed2a6abf7158809cf4f3c",
    192: "8e73b0f7da0e6452c810f32b809079e562f8ead2522c6b7b",
    256: "603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4",
  };
  const ivs: Record<string, Buffer | null> = {
    ecb: null,
    cbc: hex("000102030405060708090a0b0c0d0e0f"),
    ctr: hex("f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff"),
  };
  const expected: Record<string, string> = {
    "aes-128-ecb": "3ad77bb40d7a3660a89ecaf32466ef97f5d3d58503b9699de785895a96fdbaaf43b1cd7f598ece23881b00e3ed0306887b0c785e27e8ad3f8223207104725dd4",
    "aes-192-ecb": "bd334f1d6e45f25ff712a214571fa5cc974104846d0ad3ad7734ecb3ecee4eefef7afd2270e2e60adce0ba2face6444e9a4b41ba738d6c72fb16691603c18e0e",
    "aes-256-ecb": "f3eed1bdb5d2a03c064b5a7e3db181f8591ccb10d410ed26dc5ba74a31362870b6ed21b99ca6f4f9f153e7b1beafed1d23304b7a39f9f3ff067d8d8f9e24ecc7",
    "aes-128-cbc": "7649abac8119b246cee98e9b12e9197d5086cb9b507219ee95db113a917678b273bed6b8e3c1743b7116e69e222295163ff1caa1681fac09120eca307586e1a7",
    "aes-192-cbc": "4f021db243bc633d7178183a9fa071e8b4d9ada9ad7dedf4e5e738763f69145a571b242012fb7ae07fa9baac3df102e008b0e27988598881d920a9e64f5615cd",
    "aes-256-cbc": "f58c4c04d6e5f1ba779eabfb5f7bfbd69cfc4e967edb808d679f777bc6702c7d39f23369a9d9bacfa530e26304231461b2eb05e2c39be9fcda6c19078c6a9d1b",
    "aes-128-ctr": "874d6191b620e3261bef6864990db6ce9806f66b7970fdff8617187bb9fffdff5ae4df3edbd5d35e5b4f09020db03eab1e031dda2fbe03d1792170a0f3009cee",
    "aes-192-ctr": "1abc932417521ca24f2b0459fe7e6e0b090339ec0aa6faefd5ccc2c6f4ce8e941e36b26bd1ebc670d1bd1d665620abf74f78a7f6d29809585a97daec58c6b050",
    "aes-256-ctr": "601ec313775789a5b7a7f504bbf3d228f443e3ca4d62b59aca84e990cacaf5c52b0930daa23de94ce87017ba2d84988ddfc9c58db67aada613c2dd08457941a6",
  };
  for (const [name, encrypted] of Object.entries(expected)) {
    const [, bits, mode] = name.split("-");
    for (const size of SIZES) {
      const cipher = crypto.createCipheriv(name, hex(keys[bits]), ivs[mode]).setAutoPadding(false);
      assert.strictEqual(feed(cipher, plain, size).toString("hex"), encrypted, name);
      const decipher = crypto.createDecipheriv(name, hex(keys[bits]), ivs[mode]).setAutoPadding(false);
      assert.strictEqual(feed(decipher, hex(encrypted), size).toString("hex"), plain.toString("hex"), name);
    }
    if (mode === "ecb" || bits === "192") continue;
    const kind = `AES-${mode.toUpperCase()}`;
    const made = await subtle.importKey("raw", hex(keys[bits]) as any, kind, false, ["encrypt"]);
    const options: any = { name: kind, iv: ivs[mode], counter: ivs[mode], length: 128 };
    const web = Buffer.from(await subtle.encrypt(options, made, plain as any)).toString("hex");
    assert.strictEqual(web.slice(0, encrypted.length), encrypted, kind);
  }
});

test("digests: FIPS 180-4 and RFC 1321", async () => {
  const two = "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq";
  const four = "abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu";
  const expected: [string, string, string][] = [
    ["md5", "", "d41d8cd98f00b204e9800998ecf8427e"],
    ["md5", "message digest", "f96b697d7cb7938d525a2f31aaf161d0"],
    ["md5", "12345678901234567890123456789012345678901234567890123456789012345678901234567890", "57edf4a22be3c955ac49da2e2107b67a"],
    ["sha1", two, "84983e441c3bd26ebaae4aa1f95129e5e54670f1"],
    ["sha224", two, "75388b16512776cc5dba5da1fd890150b0c6455cb4f58b1952522525"],
    ["sha256", two, "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"],
    ["sha384", four, "09330c33f71147e83d192fc782cd1b4753111b173b3b05d22fa08086e3b0f712fcc7c71a557e2db966c3e9fa91746039"],
    ["sha512", "abc", "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f"],
    ["sha512", four, "8e959b75dae313da8cf4f72814fc143f8f7779c6eb9f7fa17299aeadb6889018501d289e4900f7e4331b99dec4b5433ac7d329eeb6dd26545e96e55b874be909"],
    ["sha512-224", "abc", "4634270f707b6a54daae7530460842e20e37ed265ceee9a43e8924aa"],
    ["sha512-256", four, "3928e184fb8690f840da3988121d31be65cb9d3ef83ee6146feac861e19b563a"],
  ];
  for (const [name, text, digest] of expected) {
    assert.strictEqual(crypto.createHash(name).update(text).digest("hex"), digest, name);
    const hash = crypto.createHash(name);
    for (const letter of text) hash.update(letter);
    assert.strictEqual(hash.digest("hex"), digest, `${name} letter by letter`);
  }
  const million = Buffer.alloc(1_000_000, "a");
  assert.strictEqual(crypto.createHash("sha1").update(million).digest("hex"), "34aa973cd4c4daa4f61eeb2bdbad27316534016f");
  assert.strictEqual(crypto.createHash("sha256").update(million).digest("hex"), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
  assert.strictEqual(Buffer.from(await subtle.digest("SHA-256", Buffer.from(two))).toString("hex"), expected[5][2]);
});

test("HMAC: RFC 2202 and RFC 4231", () => {
  const jefe = "what do ya want for nothing?";
  const expected: [string, Buffer | string, Buffer | string, string][] = [
    ["md5", "Jefe", jefe, "750c783e6ab0b503eaa86e310a5db738"],
    ["sha1", "Jefe", jefe, "effcdf6ae5eb2fa2d27416d5f184df9c259a7c79"],
    ["sha224", "Jefe", jefe, "a30e01098bc6dbbf45690f3a7e9e6d0f8bbea2a39e6148008fd05e44"],
    ["sha256", "Jefe", jefe, "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"],
    ["sha384", "Jefe", jefe, "af45d2e376484031617f78d2b58a6b1b9c7ef464f5a01b47e42ec3736322445e8e2240ca5e69e2c78b3239ecfab21649"],
    ["sha512", "Jefe", jefe, "164b7a7bfcf819e2e395fbe73b56e0a387bd64222e831fd610270cd7ea2505549758bf75c05a994a6d034f65f8f0e6fdcaeab1a34d4a6b4b636e070a38bce737"],
    ["sha256", Buffer.alloc(20, 0x0b), "Hi There", "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"],
    ["sha256", Buffer.alloc(20, 0xaa), Buffer.alloc(50, 0xdd), "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe"],
    ["sha256", Buffer.alloc(131, 0xaa), "Test Using Larger Than Block-Size Key - Hash Key First", "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"],
    ["sha512", Buffer.alloc(131, 0xaa), "Test Using Larger Than Block-Size Key - Hash Key First", "80b24263c7c1a3ebb71493c1dd7be8b49b46d1f41b4aeec1121b013783f8f3526b56d037e05f2598bd0fd2215d6a1e5295e64f73f63f0aec8b915a985d786598"],
  ];
  for (const [name, key, text, digest] of expected) {
    assert.strictEqual(crypto.createHmac(name, key).update(text).digest("hex"), digest, name);
  }
});

test("keys from passwords: RFC 6070, RFC 7914 and RFC 5869", async () => {
  const derived: [string, string, number, string, string][] = [
    ["password", "salt", 1, "sha1", "0c60c80f961f0e71f3a9b524af6012062fe037a6"],
    ["password", "salt", 4096, "sha1", "4b007901b765489abead49d926f721d065a429c1"],
    ["passwordPASSWORDpassword", "saltSALTsaltSALTsaltSALTsaltSALTsalt", 4096, "sha1", "3d2eec4fe41c849b80c8d83662c0e44a8b291a964cf2f07038"],
    ["pass\0word", "sa\0lt", 4096, "sha1", "56fa6aa75548099dcc37d7f03425e0c3"],
    ["passwd", "salt", 1, "sha256", "55ac046e56e3089fec1691c22544b605f94185216dde0465e68b9d57c20dacbc49ca9cccf179b645991664b39d77ef317c71b845b1e30bd509112041d3a19783"],
  ];
  for (const [password, salt, rounds, name, key] of derived) {
    assert.strictEqual(crypto.pbkdf2Sync(password, salt, rounds, key.length / 2, name).toString("hex"), key);
  }
  const scrypted: [string, string, crypto.ScryptOptions, string][] = [
    ["", "", { N: 16, r: 1, p: 1 }, "77d6576238657b203b19ca42c18a0497f16b4844e3074ae8dfdffa3fede21442fcd0069ded0948f8326a753a0fc81f17e8d3e0fb2e0d3628cf35e20c38d18906"],
    ["password", "NaCl", { N: 1024, r: 8, p: 16 }, "fdbabe1c9d3472007856e7190d01e9fe7c6ad7cbc8237830e77376634b3731622eaf30d92e22a3886ff109279d9830dac727afb94a83ee6d8360cbdfa2cc0640"],
  ];
  for (const [password, salt, options, key] of scrypted) {
    assert.strictEqual(crypto.scryptSync(password, salt, 64, options).toString("hex"), key);
  }
  const range = (from: number, to: number) => Buffer.from(Array.from({ length: to - from }, (_, index) => from + index));
  const expanded: [string, Buffer, Buffer, Buffer, string][] = [
    ["sha256", Buffer.alloc(22, 0x0b), range(0, 13), range(0xf0, 0xfa), "3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865"],
    ["sha256", range(0, 80), range(0x60, 0xb0), range(0xb0, 0x100), "b11e398dc80327a1c8e7f78c596a49344f012eda2d4efad8a050cc4c19afa97c59045a99cac7827271cb41c65e590e09da3275600c2f09b8367793a9aca3db71cc30c58179ec3e87c14c01d5c1f3434f1d87"],
    ["sha256", Buffer.alloc(22, 0x0b), Buffer.alloc(0), Buffer.alloc(0), "8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d9d201395faa4b61a96c8"],
    ["sha1", Buffer.alloc(11, 0x0b), range(0, 13), range(0xf0, 0xfa), "085a01ea1b10f36933068b56efa5ad81a4f14b822f5b091568a9cdd4f155fda2c22e422478d305f3f896"],
  ];
  for (const [name, key, salt, info, wanted] of expanded) {
    assert.strictEqual(Buffer.from(crypto.hkdfSync(name, key, salt, info, wanted.length / 2)).toString("hex"), wanted);
    const made = await subtle.importKey("raw", key as any, "HKDF", false, ["deriveBits"]);
    const hash = name === "sha1" ? "SHA-1" : "SHA-256";
    const bits = await subtle.deriveBits({ name: "HKDF", hash, salt, info } as any, made, wanted.length * 4);
    assert.strictEqual(Buffer.from(bits).toString("hex"), wanted);
  }
});

test("Ed25519: RFC 8032, 7.1", () => {
  const expected: [string, string, string, string][] = [
    ["9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60", "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a", "", "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b"],
    ["4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb", "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c", "72", "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00"],
    ["c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7", "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025", "af82", "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a"],
  ];
  for (const [secret, open, text, signature] of expected) {
    const jwk = { kty: "OKP", crv: "Ed25519", d: base64url(secret), x: base64url(open) };
    const key = crypto.createPrivateKey({ key: jwk, format: "jwk" });
    assert.strictEqual(crypto.sign(null, hex(text), key).toString("hex"), signature);
    const known = crypto.createPublicKey(key);
    assert.strictEqual(known.export({ format: "jwk" }).x, jwk.x);
    assert.ok(crypto.verify(null, hex(text), known, hex(signature)));
    assert.ok(!crypto.verify(null, hex(`${text}00`), known, hex(signature)));
  }
});

test("X25519: RFC 7748, 6.1", () => {
  const pairs = {
    alice: ["77076d0a7318a57d3c16c17251b26645df4c2f87ebc0992ab177fba51db92c2a", "8520f0098930a754748b7ddcb43ef75a0dbf3a0d26381af4eba4a98eaa9b4e6a"],
    bob: ["5dab087e624a8a4b79e17f8b83800ee66f3bb1292618b6fd1c2f8b27ff88e0eb", "de9edb7d7b7dc1b4d35b61c2ece435373f8343c85b78674dadfc7e146f882b4f"],
  };
  const [alice, bob] = Object.values(pairs).map(([d, x]) =>
    crypto.createPrivateKey({ key: { kty: "OKP", crv: "X25519", d: base64url(d), x: base64url(x) }, format: "jwk" }),
  );
  const secret = "4a5d9d5ba4ce2de1728e3bf480350f25e07e21c947d19e3376f09b3c1e161742";
  for (const [own, other, known] of [[alice, bob, pairs.alice[1]], [bob, alice, pairs.bob[1]]] as const) {
    const publicKey = crypto.createPublicKey(other);
    assert.strictEqual(crypto.diffieHellman({ privateKey: own, publicKey }).toString("hex"), secret);
    assert.strictEqual(crypto.createPublicKey(own).export({ format: "jwk" }).x, base64url(known));
  }
});

// RFC 6979, A.2.5 and A.2.6: the key, a text and its signature.
const P256 = {
  crv: "P-256",
  d: "c9afa9d845ba75166b5c215767b1d6934e50c3db36e89b127b8a622b120f6721",
  x: "60fed4ba255a9d31c961eb74c6356d68c049b8923b61fa6ce669622e60f29fb6",
  y: "7903fe1008b8bc99a41ae9e95628bc64f2f1b20c2d7e9f5177a3c294d4462299",
};
const P384 = {
  crv: "P-384",
  d: "6b9d3dad2e1b8c1c05b19875b6659f4de23c3b667bf297ba9aa47740787137d896d5724e4c70a825f872c9ea60d2edf5",
  x: "ec3a4e415b4e19a4568618029f427fa5da9a8bc4ae92e02e06aae5286b300c64def8f0ea9055866064a254515480bc13",
  y: "8015d9b72d7d57244ea8ef9ac0c621896708a59367f9dfb9f54ca84b3f1c9db1288b231c3ae0d4fe7344fd2533264720",
};
const ecKey = ({ crv, d, x, y }: typeof P256) =>
  crypto.createPrivateKey({ key: { kty: "EC", crv, d: base64url(d), x: base64url(x), y: base64url(y) }, format: "jwk" });

test("ECDSA: RFC 6979, A.2.5 and A.2.6", () => {
  const expected: [typeof P256, string, string, string][] = [
    [P256, "sha256", "sample", "efd48b2aacb6a8fd1140dd9cd45e81d69d2c877b56aaf991c34d0ea84eaf3716f7cb1c942d657c41d436c7a1b6e29f65f3e900dbb9aff4064dc4ab2f843acda8"],
    [P256, "sha256", "test", "f1abb023518351cd71d881567b1ea663ed3efcf6c5132b354f28d3b0b7d38367019f4113742a2b14bd25926b49c649155f267e60d3814b4c0cc84250e46f0083"],
    [P384, "sha384", "sample", "94edbb92a5ecb8aad4736e56c691916b3f88140666ce9fa73d64c4ea95ad133c81a648152e44acf96e36dd1e80fabe4699ef4aeb15f178cea1fe40db2603138f130e740a19624526203b6351d0a3a94fa329c145786e679e7b82c71a38628ac8"],
  ];
  for (const [parts, digest, text, signature] of expected) {
    const key = crypto.createPublicKey(ecKey(parts));
    assert.strictEqual(key.export({ format: "jwk" }).y, base64url(parts.y));
    const verify = (text: string) => crypto.verify(digest, Buffer.from(text), { key, dsaEncoding: "ieee-p1363" }, hex(signature));
    assert.ok(verify(text), `${parts.crv} ${text}`);
    assert.ok(!verify(`${text}.`));
    const own = crypto.sign(digest, Buffer.from(text), ecKey(parts));
    assert.ok(crypto.verify(digest, Buffer.from(text), key, own));
  }
});

test("ECDH: RFC 5903, 8.1", () => {
  const ecdh = crypto.createECDH("prime256v1");
  ecdh.setPrivateKey(hex("c88f01f510d9ac3f70a292daa2316de544e9aab8afe84049c62a9c57862d1433"));
  const own = "04dad0b65394221cf9b051e1feca5787d098dfe637fc90b9ef945d0c37725811805271a0461cdb8252d61f1c456fa3e59ab1f45b33accf5f58389e0577b8990bb3";
  assert.strictEqual(ecdh.getPublicKey("hex"), own);
  const other = "04d12dfb5289c8d4f81208b70270398c342296970a0bccb74c736fc7554494bf6356fbf3ca366cc23e8157854c13c58d6aac23f046ada30f8353e74f33039872ab";
  assert.strictEqual(ecdh.computeSecret(other, "hex", "hex"), "d6840f6b42f6edafd13116e0e12565202fef8e9ece7dce03812464d04b9442de");
});

test("RSA with PKCS#1 v1.5: RFC 7515, A.2", () => {
  const jwk = {
    kty: "RSA",
    n: "ofgWCuLjybRlzo0tZWJjNiuSfb4p4fAkd_wWJcyQoTbji9k0l8W26mPddxHmfHQp-Vaw-4qPCJrcS2mJPMEzP1Pt0Bm4d4QlL-yRT-SFd2lZS-pCgNMsD1W_YpRPEwOWvG6b32690r2jZ47soMZo9wGzjb_7OMg0LOL-bSf63kpaSHSXndS5z5rexMdbBYUsLA9e-KXBdQOS-UTo7WTBEMa2R2CapHg665xsmtdVMTBQY4uDZlxvb3qCo5ZwKh9kG4LT6_I5IhlJH7aGhyxXFvUK-DWNmoudF8NAco9_h9iaGNj8q2ethFkMLs91kzk2PAcDTW9gb54h4FRWyuXpoQ",
    e: "AQAB",
    d: "Eq5xpGnNCivDflJsRQBXHx1hdR1k6Ulwe2JZD50LpXyWPEAeP88vLNO97IjlA7_GQ5sLKMgvfTeXZx9SE-7YwVol2NXOoAJe46sui395IW_GO-pWJ1O0BkTGoVEn2bKVRUCgu-GjBVaYLU6f3l9kJfFNS3E0QbVdxzubSu3Mkqzjkn439X0M_V51gfpRLI9JYanrC4D4qAdGcopV_0ZHHzQlBjudU2QvXt4ehNYTCBr6XCLQUShb1juUO1ZdiYoFaFQT5Tw8bGUl_x_jTj3ccPDVZFD9pIuhLhBOneufuBiB4cS98l2SR_RQyGWSeWjnczT0QU91p1DhOVRuOopznQ",
    p: "4BzEEOtIpmVdVEZNCqS7baC4crd0pqnRH_5IB3jw3bcxGn6QLvnEtfdUdiYrqBdss1l58BQ3KhooKeQTa9AB0Hw_Py5PJdTJNPY8cQn7ouZ2KKDcmnPGBY5t7yLc1QlQ5xHdwW1VhvKn-nXqhJTBgIPgtldC-KDV5z-y2XDwGUc",
    q: "uQPEfgmVtjL0Uyyx88GZFF1fOunH3-7cepKmtH4pxhtCoHqpWmT8YAmZxaewHgHAjLYsp1ZSe7zFYHj7C6ul7TjeLQeZD_YwD66t62wDmpe_HlB-TnBA-njbglfIsRLtXlnDzQkv5dTltRJ11BKBBypeeF6689rjcJIDEz9RWdc",
    dp: "BwKfV3Akq5_MFZDFZCnW-wzl-CCo83WoZvnLQwCTeDv8uzluRSnm71I3QCLdhrqE2e9YkxvuxdBfpT_PI7Yz-FOKnu1R6HsJeDCjn12Sk3vmAktV2zb34MCdy7cpdTh_YVr7tss2u6vneTwrA86rZtu5Mbr1C1XsmvkxHQAdYo0",
    dq: "h_96-mK1R_7glhsum81dZxjTnYynPbZpHziZjeeHcXYsXaaMwkOlODsWa7I9xXDoRwbKgB719rrmI2oKr6N3Do9U0ajaHF-NKJnwgjMd2w9cjz3_-kyNlxAr2v4IKhGNpmM5iIgOS1VZnOZ68m6_pbLBSp3nssTdlqvd0tIiTHU",
    qi: "IYd7DHOhrWvxkwPQsRM2tOgrjbcrfvtQJipd-DlcxyVuuMGoqtuIj1mxCYEVyiYZdcTVR4R-VwIJxQa_GzIEL4MZcfsVfYGSrr-VJeJ3ELmuIJ9CJ2dBHAlT7ckUFACwR-cBKMEwFE1pfNFpI2wdGyCp6mlqXZAEJbx_k8XWgHo",
  };
  const signature = "cC4hiUPoj9Eetdgtv3hF80EGrhuB__dzERat0XF9g2VtQgr9PJbu3XOiZj5RZmh7AAuHIm4Bh-0Qc_lF5YKt_O8W2Fp5jujGbds9uJdbF9CUAr7t1dnZcAcQjbKBYNX4BAynRFdiuB--f_nZLgrnbyTyWzO75vRK5h6xBArLIARNPvkSjtQBMHlb1L07Qe7K0GarZRmB_eSN9383LcOLn6_dO--xi12jzDwusC-eOkHWEsqtFZESc6BfI7noOPqvhJ1phCnvWh6IeYI2w9QOYEUipUTI8np6LbgGY9Fs98rqVt5AXLIhWkWywlVmtVrBp0igcN_IoypGlUPQGe77Rw";
  const text = Buffer.from("eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ");
  const key = crypto.createPrivateKey({ key: jwk, format: "jwk" });
  assert.strictEqual(crypto.sign("sha256", text, key).toString("base64url"), signature);
  assert.ok(crypto.verify("sha256", text, crypto.createPublicKey(key), Buffer.from(signature, "base64url")));
  assert.ok(!crypto.verify("sha256", Buffer.concat([text, text]), crypto.createPublicKey(key), Buffer.from(signature, "base64url")));
});

test("RSA with PSS: RSA Laboratories' vectors, example 1.2", () => {
  const n =
    "a56e4a0e701017589a5187dc7ea841d156f2ec0e36ad52a44dfeb1e61f7ad991d8c51056ffedb162b4c0f283a12a88a394dff526ab7291cbb307ceabfce0b1dfd5cd9508096d5b2b8b6df5d671ef6377c0921cb23c270a70e2598e6ff89d19f105acc2d3f0cb35f29280e1386b6f64c4ef22e1e1f20d0ce8cffb2249bd9a2137";
  const text = "851384cdfe819c22ed6c4ccb30daeb5cf059bc8e1166b7e3530c4c233e2b5f8f71a1cca582d43ecc72b1bca16dfc7013226b9e";
  const signature =
    "3ef7f46e831bf92b32274142a585ffcefbdca7b32ae90d10fb0f0c729984f04ef29a9df0780775ce43739b97838390db0a5505e63de927028d9d29b219ca2c4517832558a55d694a6d25b9dab66003c4cccd907802193be5170d26147d37b93590241be51c25055f47ef62752cfbe21418fafe98c22c4d4d47724fdb5669e843";
  const key = crypto.createPublicKey({ key: { kty: "RSA", n: base64url(n), e: "AQAB" }, format: "jwk" });
  const padding = crypto.constants.RSA_PKCS1_PSS_PADDING;
  const verify = (text: string, saltLength: number) => crypto.verify("sha1", hex(text), { key, padding, saltLength }, hex(signature));
  assert.ok(verify(text, 20));
  assert.ok(!verify(text, 19));
  assert.ok(!verify(`${text}00`, 20));
});

test("RSA with OAEP: RSA Laboratories' vectors, example 1.1", () => {
  const parts = {
    n: "a8b3b284af8eb50b387034a860f146c4919f318763cd6c5598c8ae4811a1e0abc4c7e0b082d693a5e7fced675cf4668512772c0cbc64a742c6c630f533c8cc72f62ae833c40bf25842e984bb78bdbf97c0107d55bdb662f5c4e0fab9845cb5148ef7392dd3aaff93ae1e6b667bb3d4247616d4f5ba10d4cfd226de88d39f16fb",
    d: "53339cfdb79fc8466a655c7316aca85c55fd8f6dd898fdaf119517ef4f52e8fd8e258df93fee180fa0e4ab29693cd83b152a553d4ac4d1812b8b9fa5af0e7f55fe7304df41570926f3311f15c4d65a732c483116ee3d3d2d0af3549ad9bf7cbfb78ad884f84d5beb04724dc7369b31def37d0cf539e9cfcdd3de653729ead5d1",
    p: "d32737e7267ffe1341b2d5c0d150a81b586fb3132bed2f8d5262864a9cb9f30af38be448598d413a172efb802c21acf1c11c520c2f26a471dcad212eac7ca39d",
    q: "cc8853d1d54da630fac004f471f281c7b8982d8224a490edbeb33d3e3d5cc93c4765703d1dd791642f1f116a0dd852be2419b2af72bfe9a030e860b0288b5d77",
    dp: "0e12bf1718e9cef5599ba1c3882fe8046a90874eefce8f2ccc20e4f2741fb0a33a3848aec9c9305fbecbd2d76819967d4671acc6431e4037968db37878e695c1",
    dq: "95297b0f95a2fa67d00707d609dfd4fc05c89dafc2ef6d6ea55bec771ea333734d9251e79082ecda866efef13c459e1a631386b7e354c899f5f112ca85d71583",
    qi: "4f456c502493bdc0ed2ab756a3a6ed4d67352a697d4216e93212b127a63d5411ce6fa98d5dbefd73263e3728142743818166ed7dd63687dd2a8ca1d2f4fbd8e1",
  };
  const jwk = Object.fromEntries(Object.entries(parts).map(([name, value]) => [name, base64url(value)]));
  const key = crypto.createPrivateKey({ key: { kty: "RSA", e: "AQAB", ...jwk }, format: "jwk" });
  const encrypted = hex("354fe67b4a126d5d35fe36c777791a3f7ba13def484e2d3908aff722fad468fb21696de95d0be911c2d3174f8afcc201035f7b6d8e69402de5451618c21a535fa9d7bfc5b8dd9fc243f8cf927db31322d6e881eaa91a996170e657a05a266426d98c88003f8477c1227094a0d9fa1e8c4024309ce1ecccb5210035d47ac72e8a");
  assert.strictEqual(crypto.privateDecrypt(key, encrypted).toString("hex"), "6628194e12073db03ba94cda9ef9532397d50dba79b987004afefe34");
  encrypted[9] ^= 1;
  assert.throws(() => crypto.privateDecrypt(key, encrypted), (error: any) => error.code === "ERR_OSSL_RSA_OAEP_DECODING_ERROR");
});
