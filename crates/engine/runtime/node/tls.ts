/** `node:tls`, trusting what the system trusts. */
import { codeError } from "../internal/errors.ts";
import { createSecureContext, SecureContext } from "../internal/tls/context.ts";
import { connect, TLSSocket } from "../internal/tls/socket.ts";
import { createServer, Server } from "../internal/tls/server.ts";
import { isIP } from "../internal/net/address.ts";
import { lazyModule } from "../internal/lazy.ts";

export { connect, createSecureContext, createServer, SecureContext, Server, TLSSocket };

const loadX509 = lazyModule("internal/crypto/x509.ts");

export const CLIENT_RENEG_LIMIT = 3;
export const CLIENT_RENEG_WINDOW = 600;
export const DEFAULT_CIPHERS = "TLS_AES_256_GCM_SHA384:TLS_CHACHA20_POLY1305_SHA256:TLS_AES_128_GCM_SHA256";
export const DEFAULT_ECDH_CURVE = "auto";
export const DEFAULT_MAX_VERSION = "TLSv1.3";
export const DEFAULT_MIN_VERSION = "TLSv1.2";
/** The system's certificates are used, and stay with it. */
export const rootCertificates: readonly string[] = Object.freeze([]);

export function getCiphers(): string[] {
  return DEFAULT_CIPHERS.toLowerCase().split(":");
}

export function getCACertificates(): string[] {
  return [];
}

/** Whether a certificate is for a host; gives an error when it is not. */
export function checkServerIdentity(host: string, certificate: any): Error | undefined {
  const { subject, subjectaltname } = certificate;
  const names = (subjectaltname ?? "").split(", ").filter(Boolean);
  const values = (kind: string) => names.filter((name: string) => name.startsWith(kind)).map((name: string) => name.slice(kind.length));
  const { nameMatches } = loadX509();
  let reason: string;
  if (isIP(host)) {
    const ips = values("IP Address:");
    if (ips.includes(host)) return undefined;
    reason = `IP: ${host} is not in the cert's list: ${ips.join(", ")}`;
  } else {
    const dns = values("DNS:");
    const common = [subject?.CN ?? []].flat();
    const known = dns.length > 0 ? dns : common;
    if (known.some((name: string) => nameMatches(name, host))) return undefined;
    reason = dns.length > 0
      ? `Host: ${host}. is not in the cert's altnames: ${subjectaltname}`
      : known.length > 0 ? `Host: ${host}. is not cert's CN: ${known}` : "Cert does not contain a DNS name";
  }
  const error: any = codeError("ERR_TLS_CERT_ALTNAME_INVALID", `Hostname/IP does not match certificate's altnames: ${reason}`);
  return Object.assign(error, { reason, host, cert: certificate });
}

export function convertALPNProtocols(protocols: any, out: any): void {
  const names = Array.isArray(protocols) ? protocols.map((name) => Buffer.from(name)) : undefined;
  out.ALPNProtocols = names ? Buffer.concat(names.flatMap((name) => [Buffer.from([name.length]), name])) : Buffer.from(protocols);
}

export default {
  CLIENT_RENEG_LIMIT,
  CLIENT_RENEG_WINDOW,
  DEFAULT_CIPHERS,
  DEFAULT_ECDH_CURVE,
  DEFAULT_MAX_VERSION,
  DEFAULT_MIN_VERSION,
  SecureContext,
  Server,
  TLSSocket,
  checkServerIdentity,
  connect,
  convertALPNProtocols,
  createSecureContext,
  createServer,
  getCACertificates,
  getCiphers,
  rootCertificates,
};
