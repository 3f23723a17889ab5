/** `node:crypto`. Its parts are loaded when they are first used: most programs want a hash or a UUID. */
import { lazyExports } from "../internal/lazy_exports.ts";

export default lazyExports("node/crypto.ts", {
  "internal/crypto/hash.ts": ["Hash", "Hmac", "createHash", "createHmac", "getHashes", "hash", "timingSafeEqual"],
  "internal/crypto/random.ts": ["randomBytes", "pseudoRandomBytes", "randomFill", "randomFillSync", "randomInt", "randomUUID", "getRandomValues"],
  "internal/crypto/kdf.ts": ["hkdf", "hkdfSync", "pbkdf2", "pbkdf2Sync", "scrypt", "scryptSync"],
  "internal/crypto/cipher.ts": ["Cipheriv", "Decipheriv", "createCipheriv", "createDecipheriv", "getCipherInfo", "getCiphers"],
  "internal/crypto/keys.ts": [
    "KeyObject", "createPrivateKey", "createPublicKey", "createSecretKey", "generateKey", "generateKeySync",
    "generateKeyPair", "generateKeyPairSync",
  ],
  "internal/crypto/sign.ts": ["Sign", "Verify", "createSign", "createVerify", "privateDecrypt", "publicEncrypt", "sign", "verify"],
  "internal/crypto/agreement.ts": ["ECDH", "createECDH", "diffieHellman", "getCurves"],
  "internal/crypto/x509.ts": ["X509Certificate"],
  "internal/crypto/constants.ts": ["constants", "getFips", "secureHeapUsed"],
  "internal/crypto/web.ts": ["Crypto", "CryptoKey", "SubtleCrypto", "subtle", "webcrypto"],
  "internal/crypto/missing.ts": [
    "Certificate", "DiffieHellman", "DiffieHellmanGroup", "checkPrime", "checkPrimeSync", "createDiffieHellman",
    "createDiffieHellmanGroup", "generatePrime", "generatePrimeSync", "getDiffieHellman", "privateEncrypt",
    "publicDecrypt", "setEngine", "setFips",
  ],
});
