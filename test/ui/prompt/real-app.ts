import {join} from 'node:path';
import {expect, onTestFinished} from 'vitest';
import type {Program} from '../../../src/command/program.ts';
import {compose} from '../../../src/program/program.ts';
import {steadyNow, untilAnswerable} from '../../../src/ui/answerable.ts';
import {write} from '../../agent/project/repository.ts';
import {type Answer, startModelHost} from '../../e2e/model-host.ts';
import {temporaryFolder} from '../../storage/temporary.ts';
import {runApp} from '../running-app.ts';

type Files = Parameters<typeof write>[1];

type Options = Pick<NonNullable<Parameters<typeof runApp>[0]>, 'columns' | 'rows'> & {
	/** The files of the working folder, and of the state folder. */
	readonly files?: Files;
	readonly own?: Files;
	/** The model, `provider/model-name`. */
	readonly model?: string;
	readonly env?: Readonly<Record<string, string>>;
};

export const replies = ({say, finish}: Answer) => {
	say('Understood.');
	finish();
};

/** The whole app with the real program: only the terminal, and the model behind the host, are the test's. */
export async function realApp({files = {}, own = {}, model = 'custom/alpha', env = {}, ...size}: Options = {}) {
	const host = await startModelHost();
	host.answerWith(replies);
	const home = temporaryFolder();
	const folder = join(home, 'work');
	write(folder, {'.git/HEAD': 'ref: refs/heads/main\n', ...files});
	write(join(home, 'state'), own);
	let program: Program | undefined;
	const app = runApp({
		...size,
		env,
		async compose(store) {
			program = compose({
				store,
				env: {
					...{SERVICE_HOME: join(home, 'state'), HOME: home, PATH: process.env['PATH'] ?? '', SERVICE_KEYCHAIN: 'off'},
					TERM: 'xterm-256color',
					...{CUSTOM_BASE_URL: host.baseUrl, CUSTOM_API_KEY: 'sk-0123456789-wxyz', NO_PROXY: '127.0.0.1'},
					...env,
				},
				folder,
				model,
				workerUrl: new URL('../../../dist/server-worker.js', import.meta.url),
				version: '0.0.0',
			});
			return program;
		},
	});
	onTestFinished(() => program?.close());
	return {
		...app,
		host,
		folder,
		home,
		/** Answers the open question with a key, once keys can answer it. */
		async answer(key: string) {
			await expect
				.poll(() => {
					const {panel, manner, ...pauses} = app.store.getState();
					const {askedAt} = panel ?? {};
					return manner === 'asks' && askedAt !== undefined && untilAnswerable({askedAt}, pauses, steadyNow()) <= 0;
				})
				.toBe(true);
			app.type(key);
		},
		/** Returns the messages of the last request to the model. */
		lastMessages() {
			const {body = '{}'} = host.received.findLast(({path}) => path.endsWith('/chat/completions')) ?? {};
			return JSON.parse(body).messages as ReadonlyArray<{readonly role: string; readonly content: unknown}>;
		},
	};
}
