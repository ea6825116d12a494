import {readdirSync, readFileSync, statSync} from 'node:fs';
import {join} from 'node:path';
import {expect, test} from 'vitest';
import {openApp, openChat} from './app-in-process.ts';
import {apiKey, quit, waitForIdle} from './chat.ts';
import {startModelHost} from './model-host.ts';
import {folderWith} from './program.ts';
import {startTerminal} from './terminal.ts';

/** Files below a folder whose text holds `part`. */
function filesWith(folder: string, part: string): readonly string[] {
	return readdirSync(folder, {recursive: true, encoding: 'utf8'}).filter(
		name => statSync(join(folder, name)).isFile() && readFileSync(join(folder, name), 'utf8').includes(part),
	);
}

test('a key is entered masked, sent to its host only and shown nowhere else [8] [11]', async () => {
	const host = await startModelHost();
	const home = join(folderWith(), 'home');
	const terminal = startTerminal({home});
	await waitForIdle(terminal);
	terminal.type('/keys set custom\r');
	await terminal.waitFor('Base URL');
	terminal.type(`${host.baseUrl}\r`);
	await terminal.waitFor('API key for Custom');
	terminal.type(apiKey);
	await terminal.waitFor('•'.repeat(apiKey.length));
	terminal.press('enter');
	await terminal.waitFor('Select a model');
	terminal.press('enter');
	await terminal.waitFor(
		/Stored the key of Custom \(…wxyz\)\. Saved to \S+config\.json[^.]+\. The model is now\s+custom\/alpha\./,
	);
	await terminal.waitFor(() => terminal.status().includes('custom/alpha · ○ idle'));

	terminal.type('good day\r');
	await terminal.waitFor('Hello from the host.');
	await waitForIdle(terminal);
	expect(host.received.map(({method, path}) => `${method} ${path}`)).toEqual([
		'GET /v1/models',
		'POST /v1/chat/completions',
	]);
	expect(host.received.map(({headers}) => headers.authorization)).toEqual([`Bearer ${apiKey}`, `Bearer ${apiKey}`]);
	expect(host.chats()).toEqual([[expect.stringMatching(/^system: /), 'user: good day']]);

	terminal.press('up', 'up');
	await terminal.waitFor(/❯ \/keys set custom\n.*custom\/alpha/);
	terminal.press('ctrl+c');
	terminal.type('/keys list\r');
	await terminal.waitFor(/custom +…wxyz +file +http:/);
	await quit(terminal);

	expect(terminal.output()).not.toContain(apiKey.slice(0, 8));
	expect(filesWith(home, apiKey)).toEqual(['config.json']);
	expect(filesWith(home, 'good day')).toEqual(expect.arrayContaining(['prompt-history.jsonl']));

	const again = openApp({home});
	await waitForIdle(again);
	expect(again.status()).toContain('custom/alpha · ○ idle');
	await quit(again);
});

test('a key on the command line gets a warning, and is saved in no history [11]', async () => {
	const host = await startModelHost();
	const home = join(folderWith(), 'home');
	const terminal = openApp({home});
	await waitForIdle(terminal);
	terminal.type(`/keys set custom ${apiKey} --base-url ${host.baseUrl}\r`);
	await terminal.waitFor('Select a model');
	terminal.press('escape');
	await terminal.waitFor('Stored the key of Custom');
	expect(terminal.text()).not.toContain(apiKey);
	await quit(terminal);
	expect(filesWith(home, apiKey)).toEqual(['config.json']);
});

test('/model selects with a filter, and /usage counts tokens without a known price', async () => {
	const {host, terminal} = await openChat();
	terminal.type('/model\r');
	await terminal.waitFor('Select a model');
	terminal.type('gamma');
	await terminal.waitFor(/filter gamma *\nReady .*\n❯ custom\/gamma-large/);
	terminal.press('enter');
	await terminal.waitFor('The model is now custom/gamma-large.');

	terminal.type('hello\r');
	await terminal.waitFor('Hello from the host.');
	await waitForIdle(terminal);
	expect(JSON.parse(host.received.at(-1)?.body ?? '')).toMatchObject({model: 'gamma-large', stream: true});
	expect(terminal.status()).toMatch(/custom\/gamma-large · ○ idle · context \S+$/);

	terminal.type('/usage\r');
	await terminal.waitFor(/❯ \/usage\nUsage of this session\n/);
	await terminal.waitFor(
		/input tokens +100 +100\ncache read +20 +20\n.*\noutput tokens +30 +30\ncost +unknown +unknown\n/,
	);
	await terminal.waitFor(/custom\/gamma-large +100 +20 +0 +30 +unknown\n/);
});

test('Escape cancels the picker', async () => {
	const {terminal} = await openChat();
	terminal.type('/model\r');
	await terminal.waitFor('Select a model');
	terminal.press('escape');
	await terminal.waitFor(() => !terminal.text().includes('Select a model'));
	expect(terminal.text()).not.toContain('❯ /model');
	await waitForIdle(terminal);
	expect(terminal.status()).toContain('custom/alpha');
});
