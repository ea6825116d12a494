import {chmodSync, symlinkSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {rootCertificates} from 'node:tls';
import {expect, test} from 'vitest';
import {AppError} from '../../src/core/error.ts';
import {checkHosts, checkNetworkSettings} from '../../src/doctor/check-network.ts';
import {checkState} from '../../src/doctor/check-state.ts';
import {checkClipboard, checkTerminal} from '../../src/doctor/diagnose.ts';
import {httpServer} from '../net/servers.ts';
import {temporaryFolder} from '../storage/temporary.ts';

const window = {isTTY: true, columns: 80, rows: 24};
const utf8 = {LANG: 'en_US.UTF-8'};

test.each([
	[{TERM: 'xterm-256color', ...utf8}, window, ['good', 'good'], 'xterm-256color, 80x24, 256 colours.'],
	[
		{TERM: 'frobnicate', ...utf8},
		window,
		['note', 'good'],
		'frobnicate, 80x24, 16 colours. We don’t know this type: its window gets no title.',
	],
	[{TERM: 'linux', ...utf8}, window, ['good', 'note'], 'linux, 80x24, 16 colours.'],
	[
		{TERM: 'tmux-256color', TMUX: '/tmp/t', SSH_CONNECTION: 'a', COLORTERM: 'truecolor', ...utf8},
		window,
		['good', 'good'],
		'tmux-256color, 80x24, full colour, in tmux over SSH.',
	],
	[{TERM: 'xterm', NO_COLOR: '1', ...utf8}, window, ['good', 'good'], 'xterm, 80x24, no colour.'],
	[{TERM: 'dumb', ...utf8}, window, ['note', 'good'], 'dumb, 80x24, no colour. The app writes line by line.'],
	[{TERM: 'xterm', LANG: 'de_DE.ISO-8859-1'}, window, ['good', 'fault'], 'xterm, 80x24, 16 colours.'],
	[{TERM: 'xterm', ...utf8, LC_ALL: 'C'}, window, ['good', 'fault'], 'xterm, 80x24, 16 colours.'],
	[{TERM: 'xterm'}, window, ['good', 'note'], 'xterm, 80x24, 16 colours.'],
	[{...utf8}, window, ['fault', 'good'], 'unknown type, 80x24, no colour. The app writes line by line.'],
	[{TERM: 'xterm', ...utf8}, {...window, columns: 12}, ['fault', 'good'], 'xterm, 12x24, 16 colours.'],
	[{TERM: 'xterm', ...utf8}, {...window, isTTY: false}, ['note', 'good'], 'Output goes to a file or a pipe.'],
])('a terminal with %o is judged by type, size and encoding', (env, facts, states, finding) => {
	const checks = checkTerminal(env, facts, 'linux');
	expect(checks.map(({state}) => state)).toEqual(states);
	expect(checks[0]?.finding).toBe(finding);
	expect(checks.filter(({state, fix}) => state === 'fault' && !fix)).toEqual([]);
});

test.each([
	[{LANG: 'C'}, 'linux', 'fault', "LANG=C isn't UTF-8: signs are drawn in ASCII.", 'Set LANG=C.UTF-8.'],
	[
		{...utf8, LC_ALL: 'POSIX'},
		'linux',
		'fault',
		"LC_ALL=POSIX isn't UTF-8: signs are drawn in ASCII.",
		'Set LC_ALL=C.UTF-8.',
	],
	[
		{LC_CTYPE: 'de_DE', ...utf8},
		'linux',
		'fault',
		"LC_CTYPE=de_DE isn't UTF-8: signs are drawn in ASCII, other text as “?”.",
		'Set LC_CTYPE=C.UTF-8.',
	],
	[{LANG: 'C'}, 'darwin', 'fault', "LANG=C isn't UTF-8; other programs may garble text.", 'Set LANG=C.UTF-8.'],
	[
		{TERM: 'linux', ...utf8},
		'linux',
		'note',
		'The font of this console lacks signs: they are drawn in ASCII.',
		undefined,
	],
	[{...utf8}, 'linux', 'good', 'UTF-8 (en_US.UTF-8).', undefined],
])('with %o on %s, a person reads how text is drawn and how to get signs', (env, platform, state, finding, fix) => {
	expect(checkTerminal(env, window, platform)[1]).toEqual({name: 'Text', state, finding, ...(fix && {fix})});
});

test.each([
	[{TERM: 'xterm-kitty'}, 'good'],
	[{TERM: 'xterm-256color', TERM_PROGRAM: 'WezTerm'}, 'good'],
	[{TERM: 'xterm-256color', TERM_PROGRAM: 'Apple_Terminal'}, 'note'],
	[{TERM: 'screen-256color', TERM_PROGRAM: 'WezTerm', TMUX: '/tmp/t'}, 'note'],
	[{TERM: 'xterm-256color'}, 'note'],
])('the clipboard of %o is known to work, or not', (env, state) => {
	expect(checkClipboard(env).state).toBe(state);
});

test('a program that reads the clipboard is named if its display is there', () => {
	const folder = temporaryFolder();
	writeFileSync(join(folder, 'xclip'), '', {mode: 0o755});
	expect(checkClipboard({PATH: folder, DISPLAY: ':0'}).finding).toContain('Images are pasted with xclip.');
	expect(checkClipboard({PATH: folder}).finding).not.toContain('xclip');
	// Nothing is pasted with it.
	const other = temporaryFolder();
	writeFileSync(join(other, 'xsel'), '', {mode: 0o755});
	expect(checkClipboard({PATH: other, DISPLAY: ':0'}).finding).not.toContain('pasted');
});

test('a state folder is the user’s alone, and there', () => {
	const path = temporaryFolder();
	chmodSync(path, 0o700);
	expect(checkState({path})).toMatchObject({state: 'good', finding: expect.stringContaining(`${path}, private, `)});
	chmodSync(path, 0o755);
	expect(checkState({path})).toMatchObject({state: 'fault', fix: `Run: chmod 700 ${path}`});
	expect(checkState({path: join(path, 'gone')})).toMatchObject({
		state: 'fault',
		finding: expect.stringMatching(/gone: /),
	});
});

test('a file in the state folder that can’t be opened is a fault, with the command that gives it back', () => {
	const path = temporaryFolder();
	chmodSync(path, 0o700);
	writeFileSync(join(path, 'config.json'), '{}');
	expect(checkState({path}).state).toBe('good');
	symlinkSync('settings.json', join(path, 'settings.json'));
	expect(checkState({path})).toEqual({
		...{name: 'State folder', state: 'fault'},
		finding: `${join(path, 'settings.json')} can't be read and written.`,
		fix: `Run: sudo chown -R "$(id -u)" ${path}`,
	});
});

const settings = async (env: Readonly<Record<string, string>>) =>
	(await checkNetworkSettings(env, new AbortController().signal)).map(({state, finding}) => [state, finding]);

test('a proxy that accepts connections is named without its password, and one that is gone is a fault', async () => {
	const server = await httpServer(() => undefined);
	const {port} = new URL(server.origin);
	const HTTPS_PROXY = `http://me:hunter22@127.0.0.1:${port}`;
	expect((await settings({HTTPS_PROXY, NO_PROXY: 'localhost'}))[0]).toEqual([
		'good',
		`http://127.0.0.1:${port}, except for localhost.`,
	]);
	expect((await settings({HTTPS_PROXY: 'me:hunter22@127.0.0.1:1'}))[0]).toEqual([
		'fault',
		'http://127.0.0.1:1: no connection (ECONNREFUSED).',
	]);
	expect((await settings({}))[0]).toEqual(['good', 'None.']);
});

test('certificates are named by their variable', async () => {
	const file = join(temporaryFolder(), 'ca.pem');
	expect((await settings({}))[1]).toEqual(['good', "Node's."]);
	expect((await settings({NODE_EXTRA_CA_CERTS: file}))[1]).toEqual([
		'fault',
		`NODE_EXTRA_CA_CERTS names ${file}, which doesn't exist.`,
	]);
	for (const [text, why] of [
		['not PEM', 'holds no certificate in PEM'],
		['-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----', 'holds a broken certificate'],
	] as const) {
		writeFileSync(file, text);
		const fault = ['fault', `NODE_EXTRA_CA_CERTS names ${file}, which ${why}.`];
		expect((await settings({NODE_EXTRA_CA_CERTS: file}))[1]).toEqual(fault);
	}

	writeFileSync(file, `# of Acme\n${rootCertificates[0]}\n`);
	expect((await settings({NODE_EXTRA_CA_CERTS: file}))[1]).toEqual([
		'good',
		`Node's, and NODE_EXTRA_CA_CERTS=${file}.`,
	]);
	expect((await settings({NODE_TLS_REJECT_UNAUTHORIZED: '0'}))[1]?.[0]).toBe('fault');
});

test('each configured host is shown with its route, its certificates, and whether it answered', async () => {
	const server = await httpServer((_, response) => response.writeHead(404).end());
	const asked: string[] = [];
	const transport = async ({url}: {readonly url: string}) => {
		asked.push(url);
		if (url.includes('gone')) {
			throw new AppError('network', "Can't resolve gone.test.", {hint: 'Check the address. Are you online?'});
		}

		return {status: 404, headers: {}, body: emptyBody()};
	};
	const env = {HTTPS_PROXY: `http://me:hunter22@${new URL(server.origin).host}`, NO_PROXY: '10.0.0.0/8'};
	const hosts = [
		{usedBy: 'lab', url: 'https://far.test'},
		{usedBy: 'anthropic', url: 'https://far.test/v1'},
		{usedBy: 'openai', url: 'https://10.1.2.3/v1'},
		{usedBy: 'ollama', url: 'http://127.0.0.1:11434/v1'},
		{usedBy: 'MCP server docs', url: 'https://gone.test/mcp?key=secret'},
	];
	const checks = await checkHosts({hosts, transport, env, signal: new AbortController().signal});
	const proxied = `through ${new URL(server.origin).origin} (HTTPS_PROXY); certificates: Node's`;
	expect(checks.map(({state, finding}) => [state, finding.replace(/ in \d+ ms/, '')])).toEqual([
		['good', `https://far.test (lab, anthropic): ${proxied}; answered 404.`],
		['good', "https://10.1.2.3 (openai): direct (NO_PROXY); certificates: Node's; answered 404."],
		['good', 'http://127.0.0.1:11434 (ollama): direct (this machine); answered 404.'],
		['fault', `https://gone.test (MCP server docs): ${proxied}; no answer: Can't resolve gone.test.`],
	]);
	expect(checks[3]?.fix).toBe('Check the address. Are you online?');
	expect(asked).toEqual(['https://far.test', 'https://10.1.2.3', 'http://127.0.0.1:11434', 'https://gone.test']);
});

async function* emptyBody(): AsyncGenerator<Uint8Array, void> {
	// It has no bytes.
}
