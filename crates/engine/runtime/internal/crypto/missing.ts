// What exists by name only: using it says so.
import { unavailable } from "../loader.ts";

const stand = (name: string): any => unavailable(`crypto.${name}`);

export const Certificate = stand("Certificate");
export const DiffieHellman = stand("DiffieHellman");
export const DiffieHellmanGroup = stand("DiffieHellmanGroup");
export const checkPrime = stand("checkPrime");
export const checkPrimeSync = stand("checkPrimeSync");
export const createDiffieHellman = stand("createDiffieHellman");
export const createDiffieHellmanGroup = stand("createDiffieHellmanGroup");
export const generatePrime = stand("generatePrime");
export const generatePrimeSync = stand("generatePrimeSync");
export const getDiffieHellman = stand("getDiffieHellman");
export const privateEncrypt = stand("privateEncrypt");
export const publicDecrypt = stand("publicDecrypt");
export const setEngine = stand("setEngine");
export const setFips = stand("setFips");
