import {setTimeout as sleep} from 'node:timers/promises';
import {type Replay, replaySpeeds} from '../command/result.ts';
import type {Environment} from '../core/environment.ts';
import {formatAmount, formatNumber} from '../core/format.ts';
import type {Recorded} from '../core/session/event.ts';
import {emptyTranscript} from '../core/session/transcript.ts';
import {hintKey, hintsOf} from '../editor/keymap/key-label.ts';
import {actionOf, type Keymap, keymapOf, pressedKey} from '../editor/keymap/keymap.ts';
import {type ReplayAction, replayKeys} from '../editor/keymap/view-keys.ts';
import {type AppStore, createAppStore} from '../store/store.ts';
import {wantsColor, wantsLinear} from '../terminal/abilities.ts';
import {createInput, type InputStream} from '../terminal/input/input.ts';
import {type InputToken, textToken} from '../terminal/input/token.ts';
import type {ProcessHooks} from '../terminal/suspension.ts';
import {createTerminalSession} from '../terminal/terminal-session.ts';
import {fitParts} from '../terminal/text/fit-parts.ts';
import {createPalette} from '../terminal/text/style.ts';
import {createLiveLines} from './screen/frame.ts';
import {loadPainter} from './transcript/painter.ts';

type Surroundings = {
	readonly stdin: InputStream;
	readonly stdout: NodeJS.WriteStream;
	readonly env: Environment;
	readonly process: ProcessHooks;
};

/**
 * Plays a saved session into the terminal, as the app showed it; nothing is sent or run. Without a terminal on both sides,
 * or line by line, it is printed without pauses. Returns the exit status.
 */
export async function startReplay({records, speed}: Replay, surroundings: Surroundings): Promise<number> {
	const {stdin, stdout, env} = surroundings;
	const isPlayed = Boolean(stdin.isTTY && stdout.isTTY) && !wantsLinear(env);
	const store = createAppStore();
	store.getState().setSize({columns: stdout.columns || 80, rows: stdout.rows || 24});
	store.getState().openTranscript(emptyTranscript(records[0]?.session ?? ''));
	const palette = createPalette({color: wantsColor(stdout, env)});
	const live = createLiveLines();
	const write = (data: string) => void stdout.write(data);
	const screen = createReplayScreen(write);
	const painter = await loadPainter({
		store,
		palette,
		live,
		joinsReads: isPlayed,
		write: isPlayed ? screen.print : write,
	});
	store.subscribe(painter.advance);
	if (!isPlayed) {
		store.getState().applyRecords(records);
		// A killed run left these open.
		write(
			live
				.getState()
				.map(line => `${line}\n`)
				.join(''),
		);
		return 0;
	}

	const player = createPlayer({records, speed, apply: store.getState().applyRecords, now: () => performance.now()});
	const keymap = await replayKeymap(env);
	const drawStatus = () => statusLine(player, {count: records.length, columns: store.getState().size.columns, keymap});
	const draw = () => screen.show([...live.getState(), palette.dim(drawStatus())]);
	store.subscribe(draw);
	const stop = openKeys({...surroundings, player, draw, store, keymap});
	try {
		draw();
		await player.play();
	} finally {
		stop();
		screen.show([...live.getState()]);
	}

	write(`${live.getState().length > 0 ? '\n' : ''}${palette.dim(endOf(player, records.length))}\n`);
	return 0;
}

/** Returns the keys, those of the user included. */
async function replayKeymap(env: Environment): Promise<Keymap<ReplayAction>> {
	const [{openUserSettings}, {readKeys}] = await Promise.all([
		import('../config/settings/user-settings.ts'),
		import('../command/keymap/read-keys.ts'),
	]);
	return keymapOf(replayKeys, readKeys(openUserSettings(env).value('keys') ?? {}).own);
}

type Shown = {readonly count: number; readonly columns: number; readonly keymap: Keymap<ReplayAction>};

/** Returns what the keys do, and how far it is; at most as wide as the window. */
function statusLine(player: Player, {count, columns, keymap}: Shown): string {
	const {speed, isPaused, played} = player.state();
	const hints = hintsOf(keymap, [
		[isPaused ? 'continue' : 'pause', 'replay.pause'],
		['slower', 'replay.slower'],
		['faster', 'replay.faster'],
	]);
	const parts = [
		{text: 'Replay', rank: 9},
		{text: `${formatNumber(played)} of ${formatAmount(count, 'event')}`, rank: 3},
		...(isPaused ? [{text: 'paused', rank: 1}] : []),
		{text: `${Number(speed.toPrecision(2))}x`, rank: 4},
		...hints.map((text, index) => ({text, rank: 2 + 3 * index})),
		{text: `${hintKey(keymap, 'replay.stop') || 'Esc'} quit`, rank: 0},
	];
	return fitParts(
		parts.map(part => ({...part, role: String})),
		Math.max(1, columns - 1),
	);
}

function endOf(player: Player, count: number): string {
	const {played} = player.state();
	return played < count
		? `Replay stopped after ${formatNumber(played)} of ${formatAmount(count, 'event')}.`
		: `Replayed ${formatAmount(count, 'event')}.`;
}

const factor = 1.5;

/** Reads keys until the returned function is called, which restores the terminal. */
function openKeys({
	player,
	draw,
	store,
	keymap,
	...surroundings
}: Surroundings & {
	readonly player: Player;
	readonly draw: () => void;
	readonly store: AppStore;
	readonly keymap: Keymap<ReplayAction>;
}): () => void {
	const {stdin, stdout, env, process} = surroundings;
	const session = createTerminalSession({
		stdout,
		process,
		environment: env,
		onSuspend: () => input.stop(),
		onContinue: () => input.resume(),
		onResume: draw,
	});
	const acts: Readonly<Record<ReplayAction, () => void>> = {
		'app.suspend': session.suspend,
		'replay.pause': player.togglePause,
		'replay.slower': () => player.changeSpeed(1 / factor),
		'replay.faster': () => player.changeSpeed(factor),
		'replay.stop': player.stop,
	};
	const input = createInput({
		stdin,
		onTokens(tokens) {
			for (const key of tokens.flatMap(keysOf)) {
				const action = key === 'escape' || key === 'ctrl+c' ? 'replay.stop' : actionOf(keymap, key);
				if (action) {
					acts[action]();
				}
			}

			draw();
		},
		onClose: player.stop,
	});
	const resize = () => {
		store.getState().setSize({columns: stdout.columns || 80, rows: stdout.rows || 24});
		draw();
	};
	session.start();
	input.start();
	stdout.on('resize', resize);
	return () => {
		stdout.off('resize', resize);
		input.stop();
		session.end();
	};
}

/** A key that is held down arrives as one text. */
function keysOf(token: InputToken): readonly string[] {
	return (token.type === 'text' ? Array.from(token.text, textToken) : [token]).flatMap(each => pressedKey(each) ?? []);
}

/** Lines at the bottom of the terminal that are redrawn, below lines that stay. */
type ReplayScreen = {
	/** Writes lines that stay above the live ones. */
	readonly print: (data: string) => void;
	/** Replaces the live lines; none may be wider than the window. */
	readonly show: (lines: readonly string[]) => void;
};

const erase = '\r\u001B[J';

/** Creates a screen that writes only where the cursor is and below: what the shell printed stays. */
function createReplayScreen(write: (data: string) => void): ReplayScreen {
	let live: readonly string[] = [];
	const up = () => (live.length > 1 ? `\u001B[${live.length - 1}A` : '') + erase;
	const draw = (before: string, lines: readonly string[]) => {
		const same = before === '' && lines.length === live.length && lines.every((line, index) => line === live[index]);
		if (!same) {
			write(`${up()}${before}${lines.join('\n')}`);
			live = lines;
		}
	};
	return {print: data => draw(data, live), show: lines => draw('', lines)};
}

/** Plays records at their recorded pace. */
type Player = {
	/** Resolves once everything is played, or after `stop`. */
	readonly play: () => Promise<void>;
	readonly togglePause: () => void;
	/** Multiplies the speed, within its limits. */
	readonly changeSpeed: (factor: number) => void;
	readonly stop: () => void;
	readonly state: () => {readonly speed: number; readonly isPaused: boolean; readonly played: number};
};

type Options = {
	readonly records: readonly Recorded[];
	/** How many times faster than recorded. */
	readonly speed: number;
	readonly apply: (records: readonly Recorded[]) => void;
	/** Returns milliseconds on a monotonic clock. */
	readonly now: () => number;
	/** Waits until the time is over or the signal aborts; never throws. */
	readonly wait?: (milliseconds: number, signal: AbortSignal) => Promise<void>;
};

/** A longer gap between two records is cut to this. */
const maxGapMs = 2000;
/** Records within this time are applied together. */
const frameMs = 16;
/** Longest wait of a paused player between two looks. */
const pausedMs = 60_000;

/** Creates a player. Nothing is played before `play`. */
export function createPlayer({records, speed: given, apply, now, wait = waitFor}: Options): Player {
	let speed = clamp(given);
	let isPaused = false;
	let isStopped = false;
	let played = 0;
	let change = new AbortController();
	const changed = () => {
		change.abort();
		change = new AbortController();
	};

	/** Waits for a recorded time, which passes faster or not at all as the user wants. */
	const pass = async (milliseconds: number) => {
		let left = milliseconds;
		while (!isStopped && (left > 0 || isPaused)) {
			const [since, pace, resting] = [now(), speed, isPaused];
			await wait(resting ? pausedMs : left / pace, change.signal);
			left -= resting ? 0 : (now() - since) * pace;
		}
	};

	return {
		async play() {
			let waited = 0;
			while (played < records.length && !isStopped) {
				waited += gapBefore(records, played);
				if (waited >= frameMs * speed || isPaused) {
					await pass(waited);
					waited = 0;
				}

				if (!isStopped) {
					const record = records[played++];
					apply(record ? [record] : []);
				}
			}
		},
		togglePause() {
			isPaused = !isPaused;
			changed();
		},
		changeSpeed(factor) {
			speed = clamp(speed * factor);
			changed();
		},
		stop() {
			isStopped = true;
			changed();
		},
		state: () => ({speed, isPaused, played}),
	};
}

function clamp(speed: number): number {
	return Math.min(replaySpeeds.maximum, Math.max(replaySpeeds.minimum, speed));
}

/** Returns the recorded milliseconds before a record; 0 after a clock was set back. */
function gapBefore(records: readonly Recorded[], index: number): number {
	const gap = Date.parse(records[index]?.at ?? '') - Date.parse(records[index - 1]?.at ?? '');
	return gap > 0 ? Math.min(gap, maxGapMs) : 0;
}

async function waitFor(milliseconds: number, signal: AbortSignal): Promise<void> {
	await sleep(milliseconds, undefined, {signal}).catch(() => undefined);
}
