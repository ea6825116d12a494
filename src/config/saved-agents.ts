import {AppError} from '../core/error.ts';
import {isJsonObject, type Json, type JsonObject, parseJson} from '../core/json.ts';
import {openKeptFile} from '../storage/kept-file.ts';

/** An agent of another maker that the user added. */
export type SavedAgent = {
	readonly name: string;
	readonly command: readonly string[];
	/** Variables that it gets: their values, or undefined to pass on those of our own environment. */
	readonly env?: Readonly<Record<string, string | undefined>>;
	/** True to hold it in a sandbox. */
	readonly isContained?: boolean;
};

export type SavedAgents = {
	/** Returns all, by name. Throws AppError("failed") for a damaged file. */
	readonly list: () => readonly SavedAgent[];
	/** Adds an agent, in place of one of that name. */
	readonly add: (agent: SavedAgent) => Promise<void>;
	/** Removes an agent. Returns false if none has that name. */
	readonly remove: (name: string) => Promise<boolean>;
};

/** Opens the file at `path`, in the state folder; it need not exist. Processes may share it (SAFETY 10, 18). */
export function openSavedAgents(path: string): SavedAgents {
	const file = openKeptFile<readonly SavedAgent[]>(path, {parse: text => parse(text, path), print});
	return {
		list: file.read,
		add: agent =>
			file.update(agents =>
				[...agents.filter(({name}) => name !== agent.name), agent].sort((one, other) =>
					one.name.localeCompare(other.name),
				),
			),
		async remove(name) {
			let isThere = false;
			await file.update(agents => {
				isThere = agents.some(each => each.name === name);
				return isThere ? agents.filter(each => each.name !== name) : agents;
			});
			return isThere;
		},
	};
}

function print(agents: readonly SavedAgent[]): string {
	const rows = agents.map(({name, command, env, isContained}) => ({
		name,
		command,
		...(env && {env: Object.fromEntries(Object.entries(env).map(([key, value]) => [key, value ?? null]))}),
		...(isContained && {sandbox: true}),
	}));
	return `${JSON.stringify({agents: rows}, undefined, 2)}\n`;
}

/** Throws AppError("failed") for a file that is damaged, so that it is never replaced. */
function parse(text: string | undefined, path: string): readonly SavedAgent[] {
	if (text === undefined) {
		return [];
	}

	const file = parseJson(text);
	const rows = isJsonObject(file) ? file['agents'] : undefined;
	if (!Array.isArray(rows)) {
		throw new AppError('failed', `Couldn't read ${path}: it is not valid.`, {hint: 'Repair or remove the file.'});
	}

	return rows.filter(isJsonObject).flatMap(agentIn);
}

function agentIn({name, command, env, sandbox}: JsonObject): readonly SavedAgent[] {
	if (typeof name !== 'string' || !isWords(command) || command.length === 0) {
		return [];
	}

	const variables = isJsonObject(env)
		? Object.fromEntries(
				Object.entries(env).flatMap(([key, value]) =>
					typeof value === 'string' || value === null ? [[key, value ?? undefined] as const] : [],
				),
			)
		: undefined;
	return [{name, command, ...(variables && {env: variables}), ...(sandbox === true && {isContained: true})}];
}

function isWords(value: Json | undefined): value is readonly string[] {
	return Array.isArray(value) && value.every(word => typeof word === 'string');
}
