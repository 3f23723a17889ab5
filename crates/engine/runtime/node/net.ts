/** `node:net`. */
import { BlockList, isIP, isIPv4, isIPv6, SocketAddress } from "../internal/net/address.ts";
import { createServer, Server } from "../internal/net/server.ts";
import { connect, Socket } from "../internal/net/socket.ts";
import { validateBoolean, validateInt32 } from "../internal/validators.ts";

export { BlockList, connect, createServer, isIP, isIPv4, isIPv6, Server, Socket, SocketAddress };

export const createConnection = connect;
export const Stream = Socket;

let tryAll = true;
let attemptTimeout = 250;

/** Whether all addresses of a name are tried; they always are. */
export function getDefaultAutoSelectFamily(): boolean {
  return tryAll;
}
export function setDefaultAutoSelectFamily(value: boolean): void {
  validateBoolean(value, "value");
  tryAll = value;
}
export function getDefaultAutoSelectFamilyAttemptTimeout(): number {
  return attemptTimeout;
}
export function setDefaultAutoSelectFamilyAttemptTimeout(value: number): void {
  validateInt32(value, "value", 1);
  attemptTimeout = Math.max(10, value);
}

export default {
  BlockList,
  Server,
  Socket,
  SocketAddress,
  Stream,
  connect,
  createConnection,
  createServer,
  getDefaultAutoSelectFamily,
  getDefaultAutoSelectFamilyAttemptTimeout,
  isIP,
  isIPv4,
  isIPv6,
  setDefaultAutoSelectFamily,
  setDefaultAutoSelectFamilyAttemptTimeout,
};
