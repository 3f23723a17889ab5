/** `node:worker_threads`: there is one thread; message channels work within it. */

import { codeTypeError } from "../internal/errors.ts";
import { unavailable } from "../internal/loader.ts";
import { BroadcastChannel, MessageChannel, MessagePort, receiveMessageOnPort } from "../web/messaging.ts";

export const isMainThread = true;
export const isInternalThread = false;
export const parentPort = null;
export const workerData = null;
export const threadId = 0;
export const threadName = "";
export const resourceLimits = {};
export const SHARE_ENV = Symbol.for("nodejs.worker_threads.SHARE_ENV");

export const Worker = unavailable("worker_threads.Worker");

const untransferable = new WeakSet<object>();
const environment = new Map<any, any>();

export function markAsUntransferable(object: object): void {
  untransferable.add(object);
}
export function isMarkedAsUntransferable(object: object): boolean {
  return untransferable.has(object);
}
export function markAsUncloneable(_object: object): void {}
export function moveMessagePortToContext(port: unknown): any {
  return port;
}
export function getEnvironmentData(key: unknown): any {
  return environment.get(key);
}
export function setEnvironmentData(key: unknown, value?: unknown): void {
  if (value === undefined) environment.delete(key);
  else environment.set(key, value);
}
export async function postMessageToThread(thread: number): Promise<void> {
  throw codeTypeError("ERR_WORKER_MESSAGING_FAILED", `Cannot find the destination thread ${thread} or listener`);
}

export { BroadcastChannel, MessageChannel, MessagePort, receiveMessageOnPort };

export default {
  BroadcastChannel,
  getEnvironmentData,
  isInternalThread,
  isMainThread,
  isMarkedAsUntransferable,
  markAsUncloneable,
  markAsUntransferable,
  MessageChannel,
  MessagePort,
  moveMessagePortToContext,
  parentPort,
  postMessageToThread,
  receiveMessageOnPort,
  resourceLimits,
  setEnvironmentData,
  SHARE_ENV,
  threadId,
  threadName,
  Worker,
  workerData,
};
