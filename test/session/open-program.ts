import {readdirSync, readFileSync} from 'node:fs';
import {expect, onTestFinished} from 'vitest';
import type {AgentEvent} from '../../src/core/session/event.ts';
import {compose} from '../../src/program/program.ts';
import {createAppStore} from '../../src/store/store.ts';
import type {Answer, ModelHost} from '../e2e/model-host.ts';

type Program = ReturnType<typeof compose>;
export type World = {
	readonly program: Program;
	readonly host: ModelHost;
	readonly home: string;
	readonly folder: string;
	readonly events: readonly AgentEvent[];
	/** A word that is in every command line of the test, and nowhere else on this machine. */
	readonly marker: string;
};

type OpenOptions = Pick<World, 'home' | 'folder' | 'host'> & {
	readonly proxy: string;
	/** More variables of the environment. */
	readonly env?: Readonly<Record<string, string>>;
};

/** Opens the program with a real state folder, whose model is the host. The user allows everything. */
export function open({home, folder, host, proxy, env = {}}: OpenOptions) {
	const store = createAppStore();
	const program = compose({
		store,
		env: {
			...{SERVICE_HOME: home, PATH: process.env['PATH'] ?? '', HTTPS_PROXY: proxy, NO_PROXY: '127.0.0.1'},
			...{CUSTOM_BASE_URL: host.baseUrl, CUSTOM_API_KEY: 'sk-0123456789-wxyz', SERVICE_KEYCHAIN: 'off'},
			...env,
		},
		folder,
		model: 'custom/alpha',
		workerUrl: new URL('../../dist/server-worker.js', import.meta.url),
		version: '0.0.0',
	});
	onTestFinished(() => program.close());
	program.session.askWith(async ({hash}) => ({allowed: true, hash}));
	const events: AgentEvent[] = [];
	program.session.onRecord(({event}) => events.push(event));
	return {program, events, state: store.getState};
}

/** Returns the command lines of all processes that have a word in them. */
export function processesWith(word: string): readonly string[] {
	return readdirSync('/proc')
		.filter(name => /^\d+$/.test(name))
		.flatMap(id => {
			try {
				return [readFileSync(`/proc/${id}/cmdline`, 'utf8').replaceAll('\0', ' ')];
			} catch {
				return [];
			}
		})
		.filter(line => line.includes(word));
}

/** Returns the ids of calls, and of results, that the last request to the model had. */
function callsOf(host: ModelHost) {
	const {body = '{}'} = host.received.findLast(({path}) => path.endsWith('/chat/completions')) ?? {};
	const messages: ReadonlyArray<{tool_calls?: ReadonlyArray<{id: string}>; tool_call_id?: string}> =
		JSON.parse(body).messages;
	return {
		calls: messages.flatMap(({tool_calls = []}) => tool_calls.map(({id}) => id)),
		results: messages.flatMap(({tool_call_id}) => tool_call_id ?? []),
	};
}

export const says = ({say, finish}: Answer) => {
	say('I am back.');
	finish();
};

/** Sends a message, and expects that the model gets a result for each call and that its answer ends the run. */
export async function expectUsable({program, host, events}: Pick<World, 'program' | 'host' | 'events'>) {
	host.answerWith(says);
	await program.session.conversation.send('and now?');
	expect(events.findLast(({type}) => type === 'run-end')).toMatchObject({reason: 'done'});
	const {calls: asked, results} = callsOf(host);
	expect(results).toEqual(asked);
}
