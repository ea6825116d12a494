import {randomUUID} from 'node:crypto';
import {readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {pathToFileURL} from 'node:url';
import {expect, test} from 'vitest';
import {createKeychain} from '../../src/config/keychain.ts';
import {reportError} from '../../src/core/error.ts';
import {temporaryFolder} from '../storage/temporary.ts';

/** A keychain whose child is this script. */
function scripted(source: string, options: {env?: Record<string, string>; timeoutMs?: number} = {}) {
	const path = join(temporaryFolder(), 'child.mjs');
	writeFileSync(path, source);
	return createKeychain({env: options.env ?? {}, script: pathToFileURL(path), timeoutMs: options.timeoutMs ?? 10_000});
}

const replies = (line: string) => `process.stdout.write(${JSON.stringify(line)});`;

/** Written at once and not queued: a queue would grow in the child, which never turns to writing what is in it. */
const endless = "import {writeSync} from 'node:fs'; for (;;) writeSync(1, 'x'.repeat(65536));";

test('requests and responses go through pipes', async () => {
	const file = join(temporaryFolder(), 'asked');
	const {get, set, remove} = scripted(`
		import {readFileSync, appendFileSync} from 'node:fs';
		appendFileSync(${JSON.stringify(file)}, readFileSync(0));
		appendFileSync(${JSON.stringify(file)}, JSON.stringify(process.argv.slice(2)) + '\\n');
		process.stdout.write('{"kind":"done","text":"sk-ü"}');
	`);
	expect(await get('a')).toBe('sk-ü');
	expect(await set('b', 'text of b')).toBe(undefined);
	expect(await remove('c')).toBe(undefined);
	expect(readFileSync(file, 'utf8').split('\n')).toEqual([
		'{"action":"get","entry":"a"}',
		'[]',
		'{"action":"set","entry":"b","text":"text of b"}',
		'[]',
		'{"action":"remove","entry":"c"}',
		'[]',
		'',
	]);
});

test("the child gets the desktop's variables and no key from the environment [15]", async () => {
	const env = {
		DBUS_SESSION_BUS_ADDRESS: 'unix:path=/bus',
		OPENAI_API_KEY: 'sk-1',
		SERVICE_API_KEY: 'k',
		HOME: '/home/x',
	};
	const child = `process.stdout.write(JSON.stringify({kind: 'done', text: Object.keys(process.env).sort().join()}));`;
	const seen = (await scripted(child, {env}).get('a'))?.split(',');
	expect(seen).toEqual(expect.arrayContaining(['DBUS_SESSION_BUS_ADDRESS', 'HOME']));
	expect(seen?.filter(name => name.includes('KEY'))).toEqual([]);
});

test('a keychain that waits for its window times out, and its child is killed [21]', async () => {
	const {get} = scripted('setInterval(() => {}, 1000);', {timeoutMs: 300});
	await expect(get('a')).rejects.toMatchObject({
		code: 'failed',
		message: "The keychain didn't answer within 0.3 seconds.",
		hint: 'Unlock the keychain and try again, or store the secret again with SERVICE_KEYCHAIN=off.',
	});
});

test.each([
	['no keychain', replies('{"kind":"none"}'), 'No system keychain found.'],
	['no module', replies('{"kind":"missing"}'), 'The optional package @napi-rs/keyring is not installed.'],
	['a refusal', replies('{"kind":"refused","why":"Too long. "}'), 'The keychain refused access: Too long.'],
	['nothing', '', "Couldn't reach the keychain."],
	['a crash', 'throw new Error();', "Couldn't reach the keychain."],
	['no JSON', replies('Segmentation fault'), "Couldn't reach the keychain."],
	['another shape', replies('{"kind":"later"}'), "Couldn't reach the keychain."],
	['too much', endless, "Couldn't reach the keychain."],
])('%s is said in one sentence', async (_name, source, message) => {
	await expect(scripted(source).set('a', 'sk-0123456789')).rejects.toMatchObject({code: 'failed', message});
});

test('a keychain that is off starts no child process', async () => {
	const file = join(temporaryFolder(), 'started');
	const source = `import {writeFileSync} from 'node:fs'; writeFileSync(${JSON.stringify(file)}, '');`;
	const {get, set, remove} = scripted(source, {env: {SERVICE_KEYCHAIN: ' OFF '}});
	for (const call of [get('a'), set('a', 'b'), remove('a')]) {
		await expect(call).rejects.toMatchObject({message: 'SERVICE_KEYCHAIN is off.'});
	}

	expect(() => readFileSync(file)).toThrow('ENOENT');
});

/** It only asks for an entry that nobody has made: a real keychain is read, and never written or unlocked. */
const real = createKeychain({
	env: process.env,
	script: new URL('../../dist/keychain-child.mjs', import.meta.url),
	timeoutMs: 5000,
});
const entry = `test ${randomUUID()}`;
const found = await real.get(entry).then(
	text => ({text, why: ''}),
	error => ({text: undefined, why: ` (skipped: ${reportError(error).message})`}),
);

test.skipIf(found.why !== '')(`the real module says that an entry is not there${found.why}`, () => {
	expect(found.text).toBe(undefined);
});
