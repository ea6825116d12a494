import {afterEach, beforeEach, expect, test, vi} from 'vitest';
import type {DeviceAction} from '../../../src/editor/keymap/default-keys.ts';
import {createAppStore} from '../../../src/store/store.ts';
import type {InputToken} from '../../../src/terminal/input/token.ts';
import {type Asked, untilAnswerable} from '../../../src/ui/answerable.ts';
import {App} from '../../../src/ui/app.tsx';
import {devicePanel, pressInDevicePanel} from '../../../src/ui/panels/device-panel.tsx';
import {openPanel, type Panel} from '../../../src/ui/panels/panels.ts';
import {createRandom} from '../../faults/fault.ts';
import {draw, panelOf} from '../frame.ts';

type Device = Extract<Panel, {kind: 'device'}>;

/** The seconds that are left do not pass. */
const now = Date.UTC(2026, 0, 1);

beforeEach(() => void vi.useFakeTimers({toFake: ['Date'], now}));
afterEach(() => void vi.useRealTimers());

const device: Device = {
	kind: 'device',
	server: 'https://agents.example.com',
	page: 'https://agents.example.com/device',
	pageWithCode: 'https://agents.example.com/device?user_code=WDJB-MJHT',
	code: 'WDJB-MJHT',
	expiresAt: now + 872_000,
	opens: true,
};

/** Returns the lines above the prompt. */
async function frame(panel: Device, columns: number, rows = 24) {
	const drawn = draw(<App />, {columns, rows});
	openPanel(drawn.store, panel);
	await drawn.settle(40);
	const lines = drawn.lines();
	const above = rows < 8 ? lines.slice(0, -2) : panelOf(lines);
	return above;
}

test.each([80, 120])('page and code have lines of their own at %d columns, above the key hints', async columns => {
	expect(await frame(device, columns)).toEqual([
		'? Log in to https://agents.example.com: open this page and enter the code.',
		'https://agents.example.com/device',
		'WDJB-MJHT',
		'14 m 32 s left · Enter open · c copy code · u copy URL · Esc cancel',
	]);
});

test('a login that an API key may replace names the key for that, at 80 columns beside all others', async () => {
	expect((await frame({...device, others: ['api-key']}, 80)).at(-1)).toBe(
		'14 m 32 s left · Enter open · c copy code · u copy URL · k API key · Esc cancel',
	);
	expect((await frame({...device, others: ['api-key']}, 64)).at(-1)).toBe(
		'14 m 32 s left · Enter open · c, u copy · k API key · Esc cancel',
	);
});

const seed = 20_261_201;

test(`no letter of an API key that is pasted in pieces is taken for a key, and the user hears which comes first (seed ${seed})`, () => {
	const random = createRandom(seed);
	for (let round = 0; round < 200; round++) {
		const store = createAppStore();
		const panel: Device = {...device, others: ['api-key']};
		openPanel(store, panel);
		const acts: unknown[] = [];
		const act = (value: unknown) => void acts.push(value);
		const keys = {
			store,
			answer: act,
			interrupt: () => act('interrupt'),
			copy: (text: string) => {
				act(text);
				return undefined;
			},
			openPage: async (page: string) => {
				act(page);
				return true;
			},
			isTypedAhead: (question: Asked) => untilAnswerable(question, store.getState(), 10_000) > 0,
			now: () => 10_000,
		};
		const press = (token: InputToken) =>
			devicePanel.press({token, chord: '', action: undefined, rows: undefined}, panel, keys);
		const letters = Array.from({length: 20}, () => random.pick([...'cukxyz_9'])).join('');
		press(
			random.pick([
				{type: 'paste', text: 'svc', truncated: false},
				{type: 'text', text: 'svc'},
			] as const),
		);
		for (let at = 0; at < letters.length; ) {
			const end = at + 1 + random.below(3);
			press({type: 'text', text: letters.slice(at, end)});
			at = end;
		}

		expect([acts, store.getState().toast]).toEqual([[], 'Text ignored: press k first to enter an API key']);
	}
});

test('at 60 columns its title and key hints are shorter', async () => {
	const server = 'https://platform.agents.example.com:8443';
	expect(await frame({...device, server, page: `${server}/device`}, 60)).toEqual([
		'? Open this page and enter the code.',
		'https://platform.agents.example.com:8443/device',
		'WDJB-MJHT',
		'14 m 32 s left · Enter open · c, u copy · Esc cancel',
	]);
});

test('without a browser there is no hint for Enter', async () => {
	expect((await frame({...device, opens: false}, 80)).at(-1)).toBe(
		'14 m 32 s left · c copy code · u copy URL · Esc cancel',
	);
});

test('a page without a code is shown whole, with a key to paste the address that the browser ends on', async () => {
	const page = `https://login.example.com/authorize?${'a'.repeat(100)}`;
	const lines = await frame(
		{...device, code: '', page, server: 'the MCP server docs', opens: false, others: ['paste']},
		80,
	);
	expect(lines[0]).toBe('? Log in to the MCP server docs. Open this page:');
	expect(lines.slice(1, -1).join('')).toBe(page);
	expect(lines.at(-1)).toBe('14 m 32 s left · p paste the address it ends on · u copy URL · Esc cancel');
});

test('a low window cuts a page without a code behind its host, and names the key that copies it', async () => {
	const page = `https://login.example.com/authorize?${'a'.repeat(200)}`;
	const lines = await frame({...device, code: '', page}, 30, 8);
	expect(lines[0]).toBe('https://login.example.com/auth');
	expect(lines.slice(-2)).toEqual([expect.stringMatching(/^a+…$/), 'u copy URL · Esc cancel']);
});

test('the lowest window names the key that copies a page without a code', async () => {
	const drawn = draw(<App />, {columns: 20, rows: 5});
	openPanel(drawn.store, {...device, code: '', page: `https://login.example.com/authorize?${'a'.repeat(200)}`});
	await drawn.settle(40);
	expect(drawn.lines()).toContain('u copy · Esc cancel');
});

test('an expired code is marked', async () => {
	expect((await frame({...device, expiresAt: Date.now() - 1}, 80)).at(-1)).toMatch(/^expired · .*Esc cancel$/);
});

test.each([
	[9, ['https://agents.example.com/device', 'WDJB-MJHT']],
	[7, ['WDJB-MJHT']],
])('a window of %d rows keeps the code', async (rows, expected) => {
	expect(await frame(device, 60, rows)).toEqual(expect.arrayContaining(expected));
});

test('a window of 20 columns keeps the code whole', async () => {
	expect(await frame(device, 20, 12)).toContain('WDJB-MJHT');
});

test('hostile text of a server is made safe [1]', async () => {
	const hostile = 'x\u001b]0;title\u0007\u202ey';
	const lines = await frame({...device, server: hostile, page: hostile, code: hostile}, 80);
	expect(lines.slice(1, 3)).toEqual(['x␛]0;title␇⟨U+202E⟩y', 'x␛]0;title␇⟨U+202E⟩y']);
});

/** Does an action and returns what was copied, opened and said. */
async function press(action: DeviceAction, {copies = true, opened = true, panel = device} = {}) {
	const did: string[] = [];
	pressInDevicePanel(action, panel, {
		copy: text => {
			did.push(`copy ${text}`);
			return copies ? 'through tmux' : undefined;
		},
		openPage: async page => {
			did.push(`open ${page}`);
			return opened;
		},
		say: text => did.push(text),
	});
	await Promise.resolve();
	return did;
}

test('the code or the page is copied, and the page with the code opened, if the program can [3]', async () => {
	expect(await press('device.copy-code')).toEqual(['copy WDJB-MJHT', 'Copied the code (through tmux).']);
	expect(await press('device.copy-url')).toEqual([`copy ${device.page}`, 'Copied the URL (through tmux).']);
	expect(await press('device.open')).toEqual([`open ${device.pageWithCode}`, 'Opened the page in your browser.']);
	expect(await press('device.open', {panel: {...device, opens: false}})).toEqual([]);
});

test('a failed copy or browser start is reported', async () => {
	expect((await press('device.copy-code', {copies: false})).at(-1)).toBe(
		'Not copied: too long, or not supported by this terminal.',
	);
	expect((await press('device.open', {opened: false})).at(-1)).toBe(
		"Couldn't start a browser. Open the page yourself.",
	);
});
