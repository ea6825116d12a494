import {expect, test} from 'vitest';
import {openApp, openChat} from './app-in-process.ts';
import {connectedTo, waitForIdle} from './chat.ts';
import {startModelHost, unusedAddress} from './model-host.ts';

test('each failure of an answer is told with what to do, and the prompt works after it [22] [23]', async () => {
	const {host, terminal} = await openChat();
	host.answerWith(
		async ({say, cut}) => {
			say('Half of an answ');
			await terminal.waitFor('Half of an answ');
			cut();
		},
		({say, finish}) => {
			say('The whole answer.');
			finish();
		},
	);
	terminal.type('tell me\r');
	await terminal.waitFor(
		/Half of an answ\n\n■ The connection to http[\s\S]* was closed[\s\S]*\n {2}→ Ask the model to continue\./,
	);
	await waitForIdle(terminal);
	terminal.type('go on\r');
	await terminal.waitFor('The whole answer.');
	await waitForIdle(terminal);

	// Without its end mark it is incomplete, too.
	host.answerWith(({say, end}) => {
		say('Half of a second ans');
		end();
	});
	terminal.type('tell me\r');
	await terminal.waitFor(
		/Half of a second ans\n\n■ The answer is incomplete: the connection ended before the model did\./,
	);
	await waitForIdle(terminal);

	// A damaged stream: the text before stays.
	const chunks = ['{"choices":[{"delta":{"content":"Half of a third ans"}}]}', '{"choices":[{"del'];
	host.answerWith(({refuse}) => refuse(200, 'text/event-stream', chunks.map(data => `data: ${data}\n\n`).join('')));
	terminal.type('tell me\r');
	await terminal.waitFor(/Half of a third ans\n\n■ .*invalid stream.*\n {2}→ Ask the model to continue\./);
	await waitForIdle(terminal);

	// An invalid key: not tried again.
	const before = host.chats().length;
	host.answerWith(({refuse}) => refuse(401, 'application/json', '{"error":{"message":"Incorrect API key."}}'));
	terminal.type('hello\r');
	await terminal.waitFor(
		/✗ Custom rejected the key \(401\): Incorrect API key\.\n {2}→ The key is from CUSTOM_API_KEY\./,
	);
	await waitForIdle(terminal);
	expect(host.chats()).toHaveLength(before + 1);
});

// Both are tried again after a while, so they wait at the same time.
test("a proxy's web page and a refused connection each get their own error", async () => {
	const {host, terminal: behindProxy} = await openChat();
	host.answerWith(({refuse}) => refuse(200, 'text/html', '<html><title>Sign in to Wi-Fi</title></html>'));
	behindProxy.type('hello\r');
	const baseUrl = await unusedAddress();
	const alone = openApp(connectedTo({baseUrl}));
	await waitForIdle(alone);
	alone.type('hello\r');

	await alone.waitFor(/✗ [\s\S]*→ /);
	expect(alone.text()).toContain(new URL(baseUrl).host);
	await behindProxy.waitFor(/✗ .*web page.*[\s\S]*→ /);
	expect(behindProxy.text()).not.toContain('<html>');
});

test("control characters of a model's answer are shown, not sent to the terminal, and no URL of it is fetched [1] [2] [16]", async () => {
	const [{host, terminal}, named] = await Promise.all([openChat(), startModelHost()]);
	host.answerWith(
		({think, say, call, finish}) => {
			think('thinking \u001b[31mred\u0007');
			say('copy \u001b]52;c;aGFja2Vk\u0007 wipe \u001b[2J\u001b[3J\u001b[H turn \u202etxt.exe hide \u200b end\r\n\n');
			say(
				'```sh\necho \u001b]0;title\u0007 \u009b2J\n```\n\n| a\u001b[5m | b |\n| - | - |\n| \u001b[8mx | \rover |\n\n',
			);
			call('list_files\u001b[2J', {path: '\u001b]52;c;aGFja2Vk\u0007'});
			finish();
		},
		({say, finish}) => {
			say('Done.');
			finish();
		},
	);
	terminal.type('attack\r');
	await terminal.waitFor('Done.');
	await waitForIdle(terminal);
	const text = terminal.text();
	expect(text).toContain('copy ␛]52;c;aGFja2Vk␇ wipe ␛[2J␛[3J␛[H turn ⟨U+202E⟩txt.exe hide ⟨U+200B⟩ end');
	expect(text).toContain('echo ␛]0;title␇ ');
	expect(text).toMatch(/a␛\[5m[\s\S]*␛\[8mx[\s\S]*␍over/);
	expect(text).toMatch(/Thought.*thinking ␛\[31mred␇/);
	expect(text).toMatch(/list_files␛\[2J/);
	// The app asks for colours, and its own titles name its folder, and nothing of the model.
	const own = /\u001b\](?:1[01];\?|4;\d+;\?|2;(?:working · )?service-e2e-\w+ · service)\u001b\\/g;
	const output = terminal.output().replace(own, '');
	expect(output).not.toMatch(/\u001b\]|\u0007|\u009b|\u202e|\u200b|\u001b\[[23]J|\u001b\[[58]m/);
	expect(text).toContain('custom/alpha · built-in server');

	const url = `${named.baseUrl}/picture.png`;
	host.answerWith(
		({say, call, finish}) => {
			say(`![a picture](${url}) [a link](${url}) <${url}>\n\n`);
			call('read_file', {path: url});
			call('fetch', {url});
			finish();
		},
		({say, finish}) => {
			say('Looked.');
			finish();
		},
	);
	terminal.type('look\r');
	await terminal.waitFor('Looked.');
	await waitForIdle(terminal);
	expect(named.received).toEqual([]);
});
