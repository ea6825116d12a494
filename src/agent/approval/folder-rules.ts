import {unwatchFile, watchFile} from 'node:fs';
import {AppError} from '../../core/error.ts';
import {isJsonObject, type Json, type JsonObject, parseJson} from '../../core/json.ts';
import {openKeptFile} from '../../storage/kept-file.ts';
import {parseRule, ruleText} from '../policy/rules/rule.ts';
import type {RuleEntry} from '../policy/verdict.ts';

/** The rules that the user keeps for the folder. They are in the state folder: no file of a project can add one. */
export type FolderRules = {
	/** Throws AppError("failed") if the file can't be read: a rule that denies might be in it. */
	readonly read: () => readonly RuleEntry[];
	/** Changes the rules without losing a change of another process (SAFETY 18). Throws what `updateSmallFile` throws. */
	readonly change: (change: (entries: readonly RuleEntry[]) => readonly RuleEntry[]) => Promise<void>;
	/** Calls the listener when another process may have changed them. Returns a function that stops that. */
	readonly watch: (listener: () => void) => () => void;
};

type Options = {
	/** The file, which all folders share. It need not exist. */
	readonly path: string;
	/** Returns the real path of the folder. */
	readonly folder: () => string;
};

const watchIntervalMs = 500;

export function openFolderRules({path, folder}: Options): FolderRules {
	const file = openKeptFile<JsonObject>(path, {
		parse: text => parse(text, path),
		print: folders => `${JSON.stringify({folders}, undefined, '\t')}\n`,
	});
	return {
		read: () => entriesOf(file.read(), folder()),
		async change(change) {
			const of = folder();
			await file.update(folders => {
				const after = change(entriesOf(folders, of)).map(({rule, effect}) => ({effect, rule: ruleText(rule)}));
				const unknown = rawEntries(folders, of).filter(entry => entryOf(entry) === undefined);
				return {...folders, [of]: [...unknown, ...after]};
			});
		},
		watch(listener) {
			watchFile(path, {interval: watchIntervalMs, persistent: false}, listener);
			return () => unwatchFile(path, listener);
		},
	};
}

function parse(text: string | undefined, path: string): JsonObject {
	if (text === undefined) {
		return {};
	}

	const file = parseJson(text);
	const folders = isJsonObject(file) ? file['folders'] : undefined;
	if (!isJsonObject(folders)) {
		throw new AppError('failed', `The approval rules in ${path} can't be read.`, {
			hint: 'Fix that file, or delete it.',
		});
	}

	return folders;
}

function rawEntries(folders: JsonObject, folder: string): readonly Json[] {
	const entries = Object.hasOwn(folders, folder) ? folders[folder] : undefined;
	return Array.isArray(entries) ? entries : [];
}

/** Returns the entries that this version understands. */
function entriesOf(folders: JsonObject, folder: string): readonly RuleEntry[] {
	return rawEntries(folders, folder).flatMap(entry => entryOf(entry) ?? []);
}

function entryOf(entry: unknown): RuleEntry | undefined {
	if (!isJsonObject(entry)) {
		return undefined;
	}

	const {effect, rule} = entry;
	if ((effect !== 'allow' && effect !== 'deny') || typeof rule !== 'string') {
		return undefined;
	}

	try {
		return {effect, rule: parseRule(rule)};
	} catch {
		return undefined;
	}
}
