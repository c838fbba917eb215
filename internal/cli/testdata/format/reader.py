"""Reads a container as docs/format.md describes it, knowing nothing else.

reader.py CONTAINER KEYFILE REPOSITORY-ID lists the lessons, one a line, or
says what is wrong and ends with 1.
"""
import hashlib, hmac, json, os, struct, subprocess, sys, tempfile, unicodedata, zlib

HEADER = lambda data, name: struct.pack("<5H3L2H", 10, 0, 0, 0, 33, zlib.crc32(data), len(data), len(data), len(name), 0)

def need(right, wrong):
    if not right:
        sys.exit(wrong)

def members(container):
    """The zip has one layout, which follows from the two members."""
    whole, directory, out, at = b"", b"", [], 0
    for name in (b"memory.sealed", b"manifest.json"):
        need(container[at:at + 4] == b"PK\3\4" and len(container) > at + 30, "bad_zip")
        size = struct.unpack_from("<L", container, at + 18)[0]
        data = container[at + 30 + len(name):at + 30 + len(name) + size]
        directory += struct.pack("<LH", 0x02014b50, 3 << 8 | 10) + HEADER(data, name) + struct.pack("<3H2L", 0, 0, 0, 0o100600 << 16, at) + name
        whole += struct.pack("<L", 0x04034b50) + HEADER(data, name) + name + data
        at, out = len(whole), out + [data]
    need(container == whole + directory + struct.pack("<2L2H2LH", 0x06054b50, 0, 2, 2, len(directory), at, 0), "bad_zip")
    return out

def verified(text, secret, public, repository):
    """The manifest in its one spelling, under our key, of this repository."""
    manifest = json.loads(text)
    canonical = lambda m: (json.dumps(m, sort_keys=True, separators=(",", ":"), ensure_ascii=False) + "\n").encode()
    need(canonical(manifest) == text and manifest["schema_version"] == 2, "bad_manifest")
    need(manifest["key_id"] == hashlib.sha256(b"familiar key id 1\0" + public).hexdigest()[:16], "unknown_key")
    info = "familiar manifest 2\0%d\0%s" % (manifest["repository_id"], manifest["store_id"])
    extracted = hmac.digest(bytes(32), secret, "sha256")  # HKDF without a salt, one block
    key = hmac.digest(extracted, info.encode() + b"\1", "sha256")
    mac = hmac.digest(key, canonical({k: v for k, v in manifest.items() if k != "mac"}), "sha256").hex()
    need(hmac.compare_digest(mac, manifest["mac"]), "bad_mac")
    need(manifest["repository_id"] == repository, "wrong_repository")
    return manifest

def is_blob(data, blob):
    need(len(data) == blob["size"] and hashlib.sha256(data).hexdigest() == blob["digest"], "digest_mismatch")

def folded(text):
    kept = lambda s: "".join(c for c in s if unicodedata.category(c)[0] in "LMN" or unicodedata.category(c) in ("Sm", "Sc"))
    once = lambda s: unicodedata.normalize("NFKC", kept(unicodedata.normalize("NFKC", unicodedata.normalize("NFKD", kept(s)).casefold())))
    while once(text) != text:
        text = once(text)
    return text

def main(path, keyfile, repository):
    run = lambda *command, given=b"": subprocess.run(command, input=given, capture_output=True, check=True).stdout
    secret = [line.strip() for line in open(keyfile) if line.startswith("AGE-SECRET-KEY-")][0].encode()
    sealed, text = members(open(path, "rb").read())
    manifest = verified(text, secret, run("age-keygen", "-y", keyfile).strip(), repository)
    is_blob(sealed, manifest["sealed"])
    store = run("zstd", "-dqc", given=run("age", "-d", "-i", keyfile, given=sealed))
    is_blob(store, manifest["database"])
    need(store[18:20] == b"\1\1" and struct.unpack(">L", store[68:72])[0] == 0x666d6c72 and struct.unpack(">L", store[60:64])[0] == 1, "not a store")
    with tempfile.TemporaryDirectory() as folder:
        database = os.path.join(folder, "memory.db")
        open(database, "wb").write(store)
        asked = lambda sql: json.loads(run("sqlite3", "-readonly", "-json", database, sql) or b"[]")
        lessons = asked("""SELECT document_id || '@' || number AS id, state, class, key, text, redacted, rule, lower(hex(fingerprint)) AS mac
            FROM versions JOIN documents USING (repository_id, document_id) ORDER BY document_id, number, uid""")
        secrets = [bytes.fromhex(s["key"]) for s in asked("SELECT hex(key) AS key FROM secrets ORDER BY id")]
    need(len({v["id"].split("@")[0] for v in lessons}) == manifest["lessons"]["total"], "the manifest counts other lessons")
    for v in lessons:
        said = v["text"]
        if v["rule"]:
            r = json.loads(v["rule"])
            globs = "\n".join(r.get("in", []) + r.get("with", []))
            hexed = [word.encode().hex() for word in (r.get("pattern", ""), r.get("prefer", ""), globs)]
            said = " ".join([said, r["kind"], *hexed, "true" if r.get("regex") else "false"])
        need(v["redacted"] or hmac.digest(secrets[0], folded(said).encode(), "sha256").hex() == v["mac"], "the fingerprint of " + v["id"])
        print(v["id"], v["state"], v["class"], v["key"], v["text"], sep="\t")

main(sys.argv[1], sys.argv[2], int(sys.argv[3]))
