import {mkdirSync} from 'node:fs';
import {join} from 'node:path';
import type {ApprovalQuestion} from '../../src/agent/approval/approval.ts';
import type {CommandContext} from '../../src/command/context.ts';
import {dispatch} from '../../src/command/dispatch.ts';
import type {ApprovalAnswer} from '../../src/core/session/approval.ts';
import {blocksOf} from '../../src/core/session/transcript.ts';
import type {LiveSession} from '../../src/session/conversation.ts';
import {type Answer, startModelHost} from '../e2e/model-host.ts';
import {temporaryFolder} from '../storage/temporary.ts';
import {open} from './open-program.ts';

/** A model that says this. */
export const says =
	(text: string) =>
	({say, finish}: Answer) => {
		say(text);
		finish();
	};
/** A model that writes a file. */
export const writes =
	(path: string) =>
	({call, finish}: Answer) => {
		call('write_file', {path, content: 'x\n'});
		finish();
	};

/** Returns the real program with a scripted host, its commands, and a user who answers `decide`. */
export async function world() {
	const host = await startModelHost();
	const place = temporaryFolder();
	const [home, folder] = [join(place, 'home'), join(place, 'work')];
	mkdirSync(folder);
	const {program} = open({home, folder, host, proxy: 'http://127.0.0.1:1'});
	const asked: ApprovalQuestion[] = [];
	let answer: (decision: ApprovalAnswer) => void = () => undefined;
	program.session.askWith((request, until) => {
		asked.push(request);
		return new Promise((resolve, reject) => {
			answer = resolve;
			until.addEventListener('abort', () => reject(until.reason), {once: true});
		});
	});
	const signal = new AbortController().signal;
	const flags = {json: false, exact: false, insecureHttp: false, server: undefined, profile: undefined} as const;
	const context: CommandContext = program.forCommand({
		flags: {...flags, org: undefined, workspace: undefined, project: undefined},
		signal,
		ui: {
			live: {} as LiveSession,
			interact: {
				ask: async () => undefined,
				choose: async () => undefined,
				confirm: async () => false,
				say: () => undefined,
				showLogin: () => () => undefined,
			},
		},
	});
	const {
		program: {store},
	} = context;
	return {
		...{program, host, home, folder, asked, store},
		answer: (decision: ApprovalAnswer) => answer(decision),
		allow: () => answer({allowed: true, hash: asked.at(-1)?.hash ?? ''}),
		session: () => store.getState().transcript.session,
		background: () => store.getState().background.map(({id, state}) => [id, state]),
		run: (...words: readonly string[]) => dispatch(words, context),
		texts: () => blocksOf(store.getState().transcript).flatMap(block => ('text' in block ? [block.text] : [])),
	};
}
