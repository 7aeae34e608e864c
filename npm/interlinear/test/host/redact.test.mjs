import assert from "node:assert/strict";
import { test } from "node:test";
import { isSecret, Redactor } from "../../dist/host/redact.js";

const hide = (redactor, chunks) => {
  const stream = redactor.stream();
  return Buffer.concat([...chunks.map((chunk) => stream.push(Buffer.from(chunk))), stream.end()]).toString();
};

test("a secret is hidden however the stream is cut", () => {
  const secret = "abcabcabd-1";
  const redactor = new Redactor([secret]);
  const whole = `before ${secret} between ${secret}${secret} abcabcab after`;
  const expected = whole.replaceAll(secret, "[secret]");
  for (let at = 0; at <= whole.length; at += 1) {
    assert.equal(hide(redactor, [whole.slice(0, at), whole.slice(at)]), expected);
  }
  assert.equal(hide(redactor, whole.split("")), expected);
});

test("a secret that is a part of another one does not uncover it", () => {
  const redactor = new Redactor(["key-12345", "key-12345-longer"]);
  assert.equal(redactor.text("key-12345-longer key-12345"), "[secret] [secret]");
});

test("a secret is hidden as it stands in JSON too", () => {
  const redactor = new Redactor(['pass"word\n1']);
  assert.deepEqual(redactor.value({ a: ['x pass"word\n1 y'] }), { a: ["x [secret] y"] });
  assert.deepEqual(redactor.value({ 'pass"word\n1': JSON.stringify(['pass"word\n1']) }), {
    "[secret]": '["[secret]"]',
  });
  const call = JSON.stringify({ arguments: JSON.stringify({ password: 'pass"word\n1' }) });
  assert.equal(hide(redactor, [call]), '{"arguments":"{\\"password\\":\\"[secret]\\"}"}');
  const event = { a: "nothing to hide", b: [1, null] };
  assert.equal(redactor.value(event), event);
});

test("what may be the beginning of a secret is known", () => {
  const redactor = new Redactor(["abcabd-1", "bca-1234"]);
  assert.deepEqual(
    ["", "x", "xa", "abcab", "abcabd-1", "xbca-"].map((text) => redactor.begun(text)),
    [0, 0, 1, 5, 0, 4],
  );
  assert.equal(new Redactor().begun("a"), 0);
});

test("what is no secret is told by name and value", () => {
  assert.ok(isSecret("ANTHROPIC_API_KEY", "sk-ant-0123"));
  assert.ok(isSecret("MY_PASSWORD", "hunter2hunter2"));
  for (const name of ["NPM_AUTH", "OAUTH_CODE", "PROXY_AUTHORIZATION", "authorisation", "AUTHENTICATION"]) {
    assert.ok(isSecret(name, "0123-4567"), name);
  }
  for (const name of ["GIT_AUTHOR_NAME", "AUTHORS", "CERT_AUTHORITY"]) assert.ok(!isSecret(name, "Jane Smith"), name);
  assert.ok(!isSecret("HOME", "/home/somebody"));
  assert.ok(!isSecret("API_KEY", "scripted"), "a plain word could be anything");
  assert.ok(!isSecret("SSL_KEY_FILE", "/etc/ssl/key.pem"), "a place is no secret");
  assert.ok(!isSecret("TOKEN", "1"));
});
