// Loaded before a server of the web: says which port it got, where its own output names the one that it asked for.

import { subscribe } from "node:diagnostics_channel";

subscribe("tracing:net.server.listen:asyncEnd", ({ server }) => console.log(`port ${server.address().port}`));
