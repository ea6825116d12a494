import {randomUUID} from 'node:crypto';
import {existsSync, readFileSync} from 'node:fs';
import {join} from 'node:path';
import {setTimeout as sleep} from 'node:timers/promises';
import {isDeepStrictEqual} from 'node:util';
import {onTestFinished} from 'vitest';
import type {Recorded} from '../../src/core/session/event.ts';
import {shownMs} from '../../src/host/questions.ts';
import type {RemoteQuestion} from '../../src/host/remote-session.ts';
import {connectHost, type HostClient} from '../../src/link/host-client.ts';
import {connectLocally} from '../../src/link/local-host.ts';
import {openHome} from '../../src/storage/home.ts';
import {apiKey} from '../e2e/chat.ts';
import {type Answer, type ModelHost, startModelHost} from '../e2e/model-host.ts';
import {environmentOf, folderWith, startProgram} from '../e2e/program.ts';
import {attachTerminal, savedRecords} from '../host/attached-terminal.ts';
import {createRandom, createTally, type Fault} from './fault.ts';
import {until} from './serving.ts';

const {version} = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));

/** Pieces of an answer; the kill comes at any of them, or later. */
const pieces = 30;

/** A folder whose host is killed and started again, with what its terminals get. */
async function openFolder() {
	const model = await startModelHost(['alpha']);
	const folder = folderWith({'a.txt': 'a'});
	const home = join(folderWith(), 'home');
	const place = {home, folder, env: {CUSTOM_BASE_URL: model.baseUrl, CUSTOM_API_KEY: apiKey}};
	const env = environmentOf(place);
	const clients: HostClient[] = [];
	onTestFinished(() => clients.forEach(client => void client.close()));
	return {
		...{model, folder, env},
		async startHost() {
			const {child, written, ended} = startProgram(['host', '--json'], place);
			await until('a host', async () => written().includes('"socket"'));
			return {
				async kill() {
					child.kill('SIGKILL');
					await ended;
				},
			};
		},
		async connect() {
			const client = await connectHost({
				version,
				terminal: randomUUID(),
				person: {user: 'ann', machine: 'here'},
				open: () => connectLocally(openHome(env), env, folder),
				wait: () => sleep(5),
			});
			clients.push(client);
			return client;
		},
	};
}

type Folder = Awaited<ReturnType<typeof openFolder>>;

/** Attaches a terminal to a session, which paints each question at once. */
async function attach({connect}: Folder, session: string) {
	const questions: RemoteQuestion[] = [];
	const records: Recorded[] = [];
	/** The end of the last run whose message the host has answered. */
	let answered = -1;
	const {remote} = await attachTerminal(await connect(), session, question => {
		questions.push(question);
		question.painted();
	});
	remote.onRecord(record => void records.push(record));
	return {
		...{remote, questions, records},
		answered: () => answered,
		async send(text: string) {
			await remote.conversation.send(text);
			answered = records.findLast(({event}) => event.type === 'run-end')?.seq ?? answered;
		},
	};
}

type Attached = Awaited<ReturnType<typeof attach>>;

/** Returns the last record that terminals may count on: of a message that the host has answered, or that a model's host has seen. */
function lastSaved(terminals: readonly Attached[], {received}: ModelHost): number {
	const seen = received.map(({body}) => body).join('\n');
	const messages = terminals.flatMap(({records}) =>
		records.filter(({event}) => event.type === 'user-message' && seen.includes(event.text)),
	);
	return Math.max(-1, ...messages.map(({seq}) => seq), ...terminals.map(({answered}) => answered()));
}

/** Returns what is wrong with a journal, for what terminals had: each record once and in order, and all that was shown as saved. */
function wrongRecords(saved: readonly Recorded[], terminals: readonly Attached[], model: ModelHost): readonly string[] {
	const texts = saved.flatMap(({event}) => (event.type === 'user-message' ? [event.text] : []));
	const bySeq = new Map(saved.map(record => [record.seq, record]));
	const last = lastSaved(terminals, model);
	return [
		...saved.filter(({seq}, index) => seq !== index).map(({seq}, index) => `record ${seq} in place ${index}`),
		...texts.filter((text, index) => texts.indexOf(text) !== index).map(text => `“${text}” is there twice`),
		...terminals.flatMap(({records}) => {
			const order = records.map(({seq}) => seq);
			return [
				...order
					.filter((seq, index) => index > 0 && seq !== (order[index - 1] ?? 0) + 1)
					.map(seq => `${seq} was drawn late`),
				...records
					.filter(record => record.seq <= last && !isDeepStrictEqual(bySeq.get(record.seq), record))
					.map(({seq, event}) => `record ${seq} (${event.type}) of ${last} is lost`),
			];
		}),
	].slice(0, 4);
}

/** Waits until something is there. Throws what ends the run that it depends on, if that comes first. */
async function untilIn(run: Promise<void>, what: string, isThere: () => boolean): Promise<void> {
	let failure: {readonly error: unknown} | undefined;
	run.catch((error: unknown) => {
		failure = {error};
	});
	await until(what, async () => {
		const isDone = isThere();
		if (!isDone && failure) {
			throw failure.error;
		}

		return isDone;
	});
}

const yes = ({question}: RemoteQuestion) => ({allowed: true, hash: Object(question).hash});

export const hostedKills: Fault = {
	name: 'kill -9 of a host while two terminals are attached and its session is written: what was shown as saved is there, once, and what waited for an answer is asked again',
	rules: [17, 33],
	amounts: {test: 2, full: 200},
	async run({seed, amount}) {
		const tally = createTally();
		const random = createRandom(seed);
		const folder = await openFolder();
		const {model, env} = folder;
		let host = await folder.startHost();
		const {session} = await (await folder.connect()).request('_service/begin', {
			key: randomUUID(),
			model: 'custom/alpha',
		});
		for (let kill = 0; kill < amount; kill += 1) {
			const asks = kill % 2 === 0;
			const piece = random.below(pieces + 6);
			await tally.attempt(`kill ${kill} at piece ${piece}${asks ? ', with a question' : ''}`, async () => {
				const open: Attached[] = [];
				const attachTwo = async () => {
					const two = [await attach(folder, session), await attach(folder, session)] as const;
					open.push(...two);
					return two;
				};
				try {
					const terminals = await attachTwo();
					const [driver] = terminals;
					const marker = `ran-${kill}`;
					const ask = ({call, finish}: Answer) => {
						call('write_file', {path: marker, content: 'once\n'});
						finish();
					};
					const end = ({say, finish}: Answer) => {
						say('That is all.');
						finish();
					};
					let isKilled = false;
					const begin = async (answer: Answer) => {
						for (let at = 0; at < pieces; at += 1) {
							if (at === piece) {
								isKilled = true;
								await host.kill();
							}

							answer.say(`Piece ${at}. `);
							await sleep(1);
						}

						(asks ? ask : end)(answer);
					};
					model.answerWith(begin, end);
					const isShown = ({questions, records}: Attached) =>
						asks ? questions.length > 0 : records.some(({event}) => event.type === 'run-end');
					await untilIn(
						driver.send(`Message ${kill}.`),
						'a kill, a question, or an end',
						() => isKilled || terminals.every(isShown),
					);
					await sleep(Math.max(0, piece - pieces));

					await host.kill();
					host = await folder.startHost();
					await (await folder.connect()).request('_service/begin', {key: randomUUID(), resume: session});
					const again = await attachTwo();
					const [next] = again;
					throwIfAny([
						...wrongRecords(await savedRecords(env, session), terminals, model),
						...(existsSync(join(folder.folder, marker)) ? ['It was written without an answer.'] : []),
					]);
					if (asks) {
						model.answerWith(ask, end);
						const run = next.send(`Again ${kill}.`);
						await untilIn(run, 'the question again', () => again.every(({questions}) => questions.length > 0));
						const [question] = next.questions;
						await sleep(shownMs + 100);
						await question?.answer(yes(question));
						await run;
						throwIfAny([
							...wrongRecords(await savedRecords(env, session), again, model),
							...(existsSync(join(folder.folder, marker)) ? [] : ['It was not written.']),
						]);
					}
				} finally {
					// One that stays would drive the session in the next attempt.
					for (const {remote} of open) {
						await remote.close();
					}
				}
			});
		}

		await host.kill();
		return tally.figure();
	},
};

function throwIfAny(problems: readonly string[]): void {
	if (problems.length > 0) {
		throw new Error(problems.join('; '));
	}
}
