import assert from "node:assert/strict";
import { resolveObjectURL } from "node:buffer";
import { describe, it } from "node:test";

describe("Blob and File", () => {
  it("holds bytes", async () => {
    const blob = new Blob(["aé", new Uint8Array([66, 67]), new Uint8Array([68]).buffer, new Blob(["!"])], { type: "Text/Plain" });
    assert.deepEqual([blob.size, blob.type], [7, "text/plain"]);
    assert.equal(await blob.text(), "aéBCD!");
    assert.deepEqual([...new Uint8Array(await blob.arrayBuffer())], [97, 0xc3, 0xa9, 66, 67, 68, 33]);
    assert.deepEqual(await (blob as any).bytes(), new Uint8Array(await blob.arrayBuffer()));
    assert.equal(Object.prototype.toString.call(blob), "[object Blob]");
    assert.equal(new Blob().size, 0);
  });

  it("is sliced", async () => {
    const blob = new Blob(["abc", "def"], { type: "t/x" });
    const pieces = [blob.slice(2, 4), blob.slice(-2), blob.slice(1), blob.slice(4, 2), blob.slice(0, -1, "n/y")];
    assert.deepEqual(await Promise.all(pieces.map((piece) => piece.text())), ["cd", "ef", "bcdef", "", "abcde"]);
    assert.deepEqual([pieces[0]!.type, pieces[4]!.type], ["", "n/y"]);
  });

  it("is streamed", async () => {
    const chunks = await Array.fromAsync(new Blob(["a".repeat(100_000)]).stream() as any);
    assert.equal(Buffer.concat(chunks as any).length, 100_000);
    const reader = new Blob(["xyz"]).stream().getReader({ mode: "byob" });
    assert.deepEqual([...(await reader.read(new Uint8Array(2))).value!], [120, 121]);
  });

  it("does not change with its source", async () => {
    const bytes = new Uint8Array([65]);
    const blob = new Blob([bytes]);
    bytes[0] = 66;
    assert.equal(await blob.text(), "A");
  });

  it("has files", async () => {
    const file = new File(["x"], "name.txt", { type: "text/plain", lastModified: 5 });
    assert.deepEqual([file.name, file.lastModified, file.type, file.size], ["name.txt", 5, "text/plain", 1]);
    assert.ok(file instanceof Blob);
    assert.throws(() => new (File as any)(["x"]), { name: "TypeError" });
    assert.throws(() => new (Blob as any)("text"), { name: "TypeError", code: "ERR_INVALID_ARG_TYPE" });
  });

  it("has URLs", async () => {
    const blob = new Blob(["linked"], { type: "t/x" });
    const url = URL.createObjectURL(blob);
    assert.match(url, /^blob:nodedata:/);
    assert.equal(await resolveObjectURL(url)!.text(), "linked");
    const response = await fetch(url);
    assert.deepEqual([response.status, response.headers.get("content-type"), await response.text()], [200, "t/x", "linked"]);
    URL.revokeObjectURL(url);
    assert.equal(resolveObjectURL(url), undefined);
  });
});

describe("FormData", () => {
  it("is a list of entries", () => {
    const form = new FormData();
    form.append("a", "1");
    form.append("b", "2");
    form.append("a", "3");
    assert.deepEqual([...form], [["a", "1"], ["b", "2"], ["a", "3"]]);
    assert.deepEqual([form.get("a"), form.getAll("a"), form.get("c"), form.has("b")], ["1", ["1", "3"], null, true]);
    form.set("a", 9 as any);
    form.set("c", "new");
    form.delete("b");
    assert.deepEqual([...form.entries()], [["a", "9"], ["c", "new"]]);
    assert.deepEqual([[...form.keys()], [...form.values()]], [["a", "c"], ["9", "new"]]);
    const seen: any[] = [];
    form.forEach((value, name, all) => seen.push([name, value, all === form]));
    assert.deepEqual(seen, [["a", "9", true], ["c", "new", true]]);
  });

  it("makes files of blobs", () => {
    const form = new FormData();
    form.append("blob", new Blob(["x"]));
    form.append("named", new Blob(["y"]), "n.bin");
    form.append("file", new File(["z"], "own.txt"));
    assert.deepEqual(["blob", "named", "file"].map((name) => (form.get(name) as File).name), ["blob", "n.bin", "own.txt"]);
    assert.ok(form.get("blob") instanceof File);
    assert.throws(() => (form as any).append("one"), { name: "TypeError" });
    assert.throws(() => (form as any).append("a", "text", "name"), { name: "TypeError" });
  });

  it("travels as multipart and comes back", async () => {
    const form = new FormData();
    form.append('na"me\n', "line1\nline2");
    form.append("file", new File([new Uint8Array([0, 13, 10, 45, 45, 255])], "ü.bin", { type: "application/x-test" }));
    form.append("empty", "");
    const response = new Response(form);
    const type = response.headers.get("content-type")!;
    assert.match(type, /^multipart\/form-data; boundary=.+/);
    const body = Buffer.from(await response.clone().arrayBuffer()).toString("latin1");
    const boundary = type.split("boundary=")[1]!;
    assert.ok(body.startsWith(`--${boundary}\r\nContent-Disposition: form-data; name="na%22me%0D%0A"\r\n\r\nline1\r\nline2\r\n`));
    assert.ok(body.endsWith(`--${boundary}--\r\n`) || body.endsWith(`--${boundary}--`));
    const back = await response.formData();
    assert.equal(back.get('na"me\r\n'), "line1\r\nline2");
    assert.equal(back.get("empty"), "");
    const file = back.get("file") as File;
    assert.deepEqual([file.name, file.type, [...new Uint8Array(await file.arrayBuffer())]], ["ü.bin", "application/x-test", [0, 13, 10, 45, 45, 255]]);
  });

  it("is read from other encodings", async () => {
    const form = await new Response(new URLSearchParams("a=1&b=x+y&a=2")).formData();
    assert.deepEqual([...form], [["a", "1"], ["b", "x y"], ["a", "2"]]);
    await assert.rejects(new Response("text").formData(), { name: "TypeError" });
    const broken = new Response("nonsense", { headers: { "content-type": "multipart/form-data; boundary=b" } });
    await assert.rejects(broken.formData(), { name: "TypeError" });
  });
});
