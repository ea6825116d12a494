import {existsSync} from 'node:fs';
import {join} from 'node:path';
import {setImmediate as turn} from 'node:timers/promises';
import {openApp} from '../e2e/app-in-process.ts';
import {quit, waitForIdle, waitForStart} from '../e2e/chat.ts';
import {folderWith} from '../e2e/program.ts';
import {wires} from '../e2e/wire-host.ts';
import {createRandom, createTally, type Fault, type Tally} from './fault.ts';
import {type FaultHost, head, startFaultHost} from './fault-host.ts';
import {chunked, eventBytes, shuffled, throwIfWrong} from './network.ts';

/** What the terminal sends for a key that interrupts. After a lone Esc, the app waits 25 ms for the rest of a sequence. */
const keys = {'Ctrl+C': '\u0003', Esc: '\u001b[27u', 'a lone Esc': '\u001b'} as const;

const positions = [
	'before its head',
	'after its head',
	'in its text',
	'in the arguments of a call',
	'before its end',
] as const;

type Case = {readonly key: keyof typeof keys; readonly position: (typeof positions)[number]};
type WireName = keyof typeof wires;

/** The file that a call would write whose arguments never come whole. */
const never = 'never.txt';

/** The answer number `index`: its text comes in two halves. */
const halvesOf = (index: number) => [`First-half-${index}.`, `Other-half-${index}.`] as const;

/** Returns the bytes of an answer before a position, and the text of it that the user sees then. */
function answerBefore(wire: WireName, position: Case['position'], index: number) {
	const [first, other] = halvesOf(index);
	const calls = [
		{id: `call_${index}`, name: 'write_file', arguments: {path: never, content: 'never written '.repeat(9)}},
	];
	const events = wires[wire]
		.events(first + other, position === 'in the arguments of a call' ? calls : [])
		.map(eventBytes);
	const indexOf = (text: string) => events.findIndex(event => event.includes(text));
	switch (position) {
		case 'before its head':
		case 'after its head':
			return {bytes: '', text: ''};
		case 'in its text':
			return {bytes: events.slice(0, indexOf(first) + 1).join(''), text: first};
		case 'in the arguments of a call': {
			const at = indexOf(never);
			const event = events[at] ?? '';
			return {bytes: events.slice(0, at).join('') + event.slice(0, event.indexOf(never) + 4), text: first + other};
		}

		case 'before its end':
			return {bytes: events.slice(0, indexOf(other) + 1).join(''), text: first + other};
	}
}

/**
 * The most turns of the event loop from a key to the end of the connection at the host. Nothing that waits for a timer is done
 * within so many: they take no time while nothing else happens.
 */
const maxTurns = 400;

/** The turns in which what the host has sent reaches the app. */
const arrivalTurns = 50;

async function turns(count: number): Promise<void> {
	for (let done = 0; done < count; done += 1) {
		await turn();
	}
}

/** Interrupts answers of one wire in one conversation, each followed by a message that is answered. */
async function interruptAnswers(wire: WireName, cases: readonly Case[], host: FaultHost, tally: Tally): Promise<void> {
	let answerNext: (socket: Parameters<Parameters<FaultHost['at']>[0]>[0]) => void = () => undefined;
	const {url, bodies} = host.at((socket, body) => {
		if (body === '') {
			socket.end(head('404 Not Found', {'content-length': '0', connection: 'close'}));
		} else {
			answerNext(socket);
		}
	});
	const asked = () => bodies.filter(body => body !== '');
	const {env, model} = wires[wire];
	const folder = folderWith();
	const terminal = openApp({folder, env: env(url), args: ['--model', model]});
	await waitForStart(terminal);
	const streamHead = head('200 OK', {'content-type': 'text/event-stream', 'transfer-encoding': 'chunked'});
	for (const [index, {key, position}] of cases.entries()) {
		await tally.attempt(`${wire}: ${key} ${position}`, async () => {
			const {bytes, text} = answerBefore(wire, position, index);
			const before = asked().length;
			let isClosed = false;
			const begun = new Promise<void>(resolve => {
				answerNext = socket => {
					socket.once('close', () => {
						isClosed = true;
					});
					socket.write(position === 'before its head' ? '' : streamHead + chunked(bytes), () => resolve());
				};
			});
			terminal.type(`Go-${index}\r`);
			await begun;
			if (text) {
				await terminal.waitFor(text, 20_000);
			}

			await turns(arrivalTurns);
			terminal.type(keys[key]);
			const most = key === 'a lone Esc' ? Number.POSITIVE_INFINITY : maxTurns;
			let needed = 0;
			for (; !isClosed && needed < most; needed += 1) {
				await turn();
			}

			await terminal.waitFor(new RegExp(`Go-${index}[^]*${text}[^]*■ Interrupted`), 20_000);
			await waitForIdle(terminal);
			const requests = asked().length - before;
			answerNext = socket => {
				const events = wires[wire].events(`Answer-${index}.`, []).map(eventBytes).join('');
				socket.end(`${streamHead}${chunked(events)}0\r\n\r\n`);
			};
			terminal.type(`Next-${index}\r`);
			await terminal.waitFor(`Answer-${index}.`, 20_000);
			await waitForIdle(terminal);
			const next = asked().at(-1) ?? '';
			throwIfWrong([
				[isClosed, `the connection was open after ${needed} turns`],
				[requests === 1, `${requests} requests`],
				[asked().length === before + 2, `${asked().length - before - 1} requests for the next message`],
				[next.includes(text), `the model doesn't see ${text} of its answer`],
				[!existsSync(join(folder, never)), 'a call with half of its arguments ran'],
			]);
		});
	}

	await quit(terminal);
}

export const interruptedAnswers: Fault = {
	name: 'Esc or Ctrl+C in five places of an answer, in every wire format: the connection is closed at once, its text is kept, nothing is asked again, and the next message is answered',
	rules: [21, 22, 23],
	amounts: {test: 8, full: 600},
	async run({seed, amount}) {
		const tally = createTally();
		const random = createRandom(seed);
		const host = await startFaultHost();
		const cases = positions.flatMap(position => Object.keys(keys).map(key => ({position, key: key as Case['key']})));
		const names = Object.keys(wires) as WireName[];
		for (const [index, wire] of names.entries()) {
			const own = Math.floor((amount + names.length - 1 - index) / names.length);
			await interruptAnswers(wire, shuffled(cases, random, own), host, tally);
		}

		return tally.figure();
	},
};
