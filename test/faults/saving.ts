import {openConfig, readConfig} from '../../src/config/config.ts';
import {saveProfile} from '../../src/config/profiles.ts';
import {setKey} from '../../src/config/provider-keys.ts';
import {saveSettings} from '../../src/config/settings/saved-settings.ts';
import {providerNames} from '../../src/core/model.ts';
import {originOf} from '../../src/core/origin.ts';
import {secret} from '../../src/core/secrets/secret.ts';
import type {AgentEvent, Recorded} from '../../src/core/session/event.ts';
import {homeAt, openHome} from '../../src/storage/home.ts';
import {createJournal, openJournal} from '../../src/storage/journal.ts';
import {appendPrompt, loadPromptHistory} from '../../src/storage/prompt-history-file.ts';

/** What is saved: messages of a session, or entries of a file. */
export const savedKinds = ['session', 'settings', 'keys', 'profiles', 'prompts'] as const;

export type SavedKind = (typeof savedKinds)[number];

/** How many entries a file has: a number is saved in that of its rest. */
export const entryCount = 50;

/** Returns whose key has a number. */
const vendorOf = (index: number) => providerNames[(index % entryCount) % providerNames.length] ?? 'openai';

/** Saves numbered things of one kind. */
export type Saver = {
	/** The file of a session; empty for other kinds. */
	readonly path: string;
	/** Saves one. Returns the numbers that are saved now, or throws why not. */
	readonly save: (index: number) => Promise<readonly number[]>;
	readonly close: () => Promise<unknown>;
};

export const savedSession = '0f9b4e6a-5a37-4c8e-9d3a-1f2e3d4c5b6a';

/** Opens a state folder to save something in it. A session that exists is continued. */
export async function openSaver(kind: SavedKind, path: string, folder: string, continued = ''): Promise<Saver> {
	const home = openHome({SERVICE_HOME: path});
	if (kind === 'session') {
		return openSessionSaver(home, folder, continued);
	}

	const config = openConfig(home);
	const server = originOf('https://agents.example.com');
	// Entries under names of their own; each value has its number, too.
	const savers: Readonly<Record<typeof kind, (index: number) => Promise<unknown>>> = {
		settings: index => saveSettings(config, {[`setting${index % entryCount}`]: index}),
		keys: index => setKey(config, vendorOf(index), secret(`sk-kept-${index}`)),
		profiles: index =>
			saveProfile(config, {name: `profile${index % entryCount}`, server, apiKey: secret(`svc_kept_${index}`)}),
		prompts: index => appendPrompt(home, `prompt ${index}`),
	};
	return {
		path: '',
		async save(index) {
			await savers[kind](index);
			return [index];
		},
		close: async () => undefined,
	};
}

/** Says messages, each behind a few pieces of an answer. What couldn't be saved is saved with the next one. */
async function openSessionSaver(home: ReturnType<typeof openHome>, folder: string, continued: string): Promise<Saver> {
	const opened = continued === '' ? undefined : await openJournal({id: savedSession, path: continued});
	const journal = opened?.journal ?? (await createJournal({home, folder, session: savedSession}));
	let seq = opened?.nextSeq ?? 0;
	const append = (event: AgentEvent) => {
		const record: Recorded = {v: 1, seq, at: new Date().toISOString(), session: savedSession, server: 'local', event};
		journal.append(record);
		seq += 1;
	};
	const waiting: number[] = [];
	return {
		path: journal.path,
		async save(index) {
			for (let piece = 0; piece < index % 4; piece += 1) {
				append({type: 'text-delta', id: 't', messageId: 'm', text: 'ü'.repeat(97 * piece)});
			}

			append({type: 'user-message', id: `u${index}`, text: `message ${index}`});
			waiting.push(index);
			const state = await journal.flush();
			if (!state.saved) {
				throw new Error(state.reason);
			}

			return waiting.splice(0);
		},
		close: journal.close,
	};
}

/**
 * Reads a state folder as a start does. Returns whether something is there, or something newer in its place. Throws if anything
 * can't be read.
 */
export async function readSaved(kind: SavedKind, path: string, session: string): Promise<(index: number) => boolean> {
	const home = homeAt(path);
	switch (kind) {
		case 'session': {
			const ids = await messagesOf(session);
			return index => ids.has(`u${index}`);
		}

		case 'prompts': {
			const prompts = loadPromptHistory(home).map(text => Number(text.replace('prompt ', '')));
			const [oldest = 0] = prompts;
			const kept = new Set(prompts);
			return index => index < oldest || kept.has(index);
		}

		case 'settings': {
			const {settings} = readConfig(home);
			return index => Number(Object(settings)[`setting${index % entryCount}`]) >= index;
		}

		case 'keys': {
			const {keys} = readConfig(home);
			return index => Number(keys[vendorOf(index)]?.key?.reveal().replace('sk-kept-', '')) >= index;
		}

		case 'profiles': {
			const {profiles} = readConfig(home);
			return index =>
				Number(profiles[`profile${index % entryCount}`]?.apiKey?.reveal().replace('svc_kept_', '')) >= index;
		}
	}
}

/** Returns the ids of the messages in a session, whose records must be whole and in order. */
async function messagesOf(path: string): Promise<ReadonlySet<string>> {
	if (path === '') {
		return new Set();
	}

	const {records, skipped, journal} = await openJournal({id: savedSession, path});
	await journal.close();
	if (skipped > 0 || records.some(({seq}, index) => seq !== index)) {
		throw new Error(`${skipped} unreadable lines, and records ${records.map(({seq}) => seq).join(' ')}`.slice(0, 300));
	}

	return new Set(records.map(({event}) => (event.type === 'user-message' ? event.id : '')));
}
