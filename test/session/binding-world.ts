import {mkdirSync} from 'node:fs';
import {join} from 'node:path';
import {onTestFinished} from 'vitest';
import {openConfig} from '../../src/config/config.ts';
import {removeKey, setKey} from '../../src/config/provider-keys.ts';
import {type Secret, secret} from '../../src/core/secrets/secret.ts';
import type {AgentEvent} from '../../src/core/session/event.ts';
import type {Interaction} from '../../src/platform/interaction.ts';
import {compose} from '../../src/program/program.ts';
import {openHome} from '../../src/storage/home.ts';
import {createAppStore} from '../../src/store/store.ts';
import {type ModelHost, startModelHost} from '../e2e/model-host.ts';
import {temporaryFolder} from '../storage/temporary.ts';

type Opened = Parameters<typeof compose>[0];

/** A key that was stored when the test began. */
export const firstKey = secret('sk-first-0123456789');

/**
 * A state folder with the real program, two hosts on loopback, and another process that changes the configuration. The
 * program's `custom` host is `own`; nothing may reach `other` unless the user agrees.
 */
export async function bindingWorld() {
	const [own, other] = [await startModelHost(), await startModelHost()];
	const place = temporaryFolder();
	const [homeFolder, folder] = [join(place, 'home'), join(place, 'work')];
	mkdirSync(folder);
	const env = {SERVICE_HOME: homeFolder, SERVICE_KEYCHAIN: 'off', PATH: process.env['PATH'] ?? ''};
	const config = openConfig(openHome(env));
	await setKey(config, 'custom', firstKey, own.baseUrl);

	const open = (options: Partial<Opened> = {}) => {
		const store = createAppStore();
		const program = compose({
			store,
			env,
			folder,
			model: 'custom/alpha',
			version: '0.0.0',
			workerUrl: new URL('../../dist/server-worker.js', import.meta.url),
			...options,
		});
		onTestFinished(() => program.close());
		program.session.askWith(async ({hash}) => ({allowed: true, hash}));
		const events: AgentEvent[] = [];
		program.session.onRecord(({event}) => events.push(event));
		const questions: string[] = [];
		/** Lets a user answer; without it, the program has none. */
		const answerWith = (answer: (question: string) => boolean | Promise<boolean>) => {
			const inquire: Interaction['inquire'] = async ({question}) => {
				questions.push(question);
				return (await answer(question)) ? 'yes' : undefined;
			};
			program.session.answerWith(async () => undefined, {inquire} as Partial<Interaction> as Interaction);
		};
		const ends = () => events.flatMap(event => (event.type === 'run-end' ? [event] : []));
		return {program, store, events, ends, questions, answerWith, conversation: program.session.conversation};
	};

	return {
		own,
		other,
		open,
		folder,
		env,
		/** Another process stores a host, or another key for the same one. */
		moveTo: (host: ModelHost, key: Secret | undefined = firstKey) => setKey(config, 'custom', key, host.baseUrl),
		forget: () => removeKey(config, 'custom'),
		config,
	};
}

/** Returns the number of requests with a conversation that a host got. */
export function chatsOf(host: ModelHost): number {
	return host.chats().length;
}
