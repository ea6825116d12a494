import {readFile, writeFile} from 'node:fs/promises';
import * as z from 'zod/mini';
import {check, type Violation} from '../../contract/check.ts';
import {AppError} from '../../core/error.ts';
import {isJsonObject, type JsonObject, parseJson} from '../../core/json.ts';
import {errnoOf, explainFileError} from '../../storage/file-error.ts';
import {updateSmallFile} from '../../storage/kept-file.ts';
import {assertNoLink} from '../../storage/private-file.ts';

type Words = Readonly<Record<string, string>>;

/** A server of the Model Context Protocol, as a file names it: `${VAR}` in its values isn't replaced yet. */
export type McpServer = {
	readonly name: string;
	/** How long a call of a tool may take without progress. */
	readonly timeoutMs?: number;
	/** True if it is kept, but not used. */
	readonly disabled?: true;
	/** A file of variables for its command and its values; a relative path counts from the folder of the entry. */
	readonly envFile?: string;
} & (
	| {
			readonly type: 'stdio';
			readonly command: string;
			readonly args: readonly string[];
			readonly env: Words;
			/** Where it runs; the working folder by default. */
			readonly cwd?: string;
	  }
	| {readonly type: 'http'; readonly url: string; readonly headers: Words}
);

/** A server that can't be used. `reason` is a clause. */
export type McpFault = {readonly name: string; readonly reason: string};

/** What a file of servers says. */
export type McpFile = {readonly servers: readonly McpServer[]; readonly faults: readonly McpFault[]};

const maxServers = 50;
const text = (most: number) => z.string().check(z.minLength(1), z.maxLength(most));
const words = z.record(text(200), z.string().check(z.maxLength(8000)));
const common = {
	type: z.optional(z.string()),
	timeout: z.optional(z.number().check(z.positive(), z.maximum(3_600_000))),
	disabled: z.optional(z.boolean()),
	envFile: z.optional(text(4000)),
};
const stdioEntry = z.looseObject({
	...common,
	command: text(4000),
	args: z.optional(z.array(z.string().check(z.maxLength(8000))).check(z.maxLength(200))),
	env: z.optional(words),
	cwd: z.optional(text(4000)),
});
const httpEntry = z.looseObject({...common, url: text(4000), headers: z.optional(words)});

/** What other clients call the two kinds. */
const httpTypes: readonly unknown[] = ['http', 'streamable-http', 'streamableHttp', 'remote'];
const stdioTypes: readonly unknown[] = ['stdio', 'local'];

/**
 * Parses the text of a `.mcp.json`, in the shape that MCP clients share. An invalid entry is a fault of that server alone.
 * Returns a fault of the whole file if it is no such file.
 */
export function parseMcpFile(source: string): McpFile | {readonly fault: string} {
	const value = parseJson(source);
	if (value === undefined) {
		return {fault: 'it is not valid JSON'};
	}

	const entries = isJsonObject(value) ? (value['mcpServers'] ?? {}) : undefined;
	if (!isJsonObject(entries)) {
		return {fault: 'its “mcpServers” must be an object'};
	}

	return readEntries(Object.entries(entries));
}

/** Reads entries by their names, each for itself: an invalid one is a fault of its server alone. */
export function readEntries(entries: ReadonlyArray<readonly [name: string, entry: unknown]>): McpFile {
	const read = entries.map(([name, entry], index) =>
		index < maxServers ? readEntry(name, entry) : {name, reason: `only ${maxServers} servers are used`},
	);
	return {
		servers: read.filter(each => 'type' in each),
		faults: read.filter(each => 'reason' in each),
	};
}

/** Reads the entry of one server. */
export function readEntry(name: string, entry: unknown): McpServer | McpFault {
	if (!/^[^\p{C}]{1,64}$/u.test(name) || !/[\p{L}\p{N}]/u.test(name)) {
		return {name, reason: 'its name is empty, too long, or has control characters'};
	}

	if (!isJsonObject(entry)) {
		return {name, reason: 'it must be an object'};
	}

	const type = entry['type'] ?? ('url' in entry || 'httpUrl' in entry ? 'http' : 'stdio');
	if (stdioTypes.includes(type)) {
		const {data, wrong} = check(stdioEntry, entry);
		if (wrong[0]) {
			return faultOf(name, wrong[0]);
		}

		const {command, args = [], env = {}, cwd, ...rest} = data as z.infer<typeof stdioEntry>;
		return {name, type: 'stdio', command, args, env, ...(cwd && {cwd}), ...commonOf(rest)};
	}

	if (httpTypes.includes(type)) {
		const {data, wrong} = check(httpEntry, {url: entry['httpUrl'], ...entry});
		if (wrong[0]) {
			return faultOf(name, wrong[0]);
		}

		const {url, headers = {}, ...rest} = data as z.infer<typeof httpEntry>;
		return {name, type: 'http', url, headers, ...commonOf(rest)};
	}

	const reason = type === 'sse' ? 'SSE servers are not supported; use its “http” address' : 'its “type” is unknown';
	return {name, reason};
}

function faultOf(name: string, {path, rule}: Violation): McpFault {
	return {name, reason: `${path.join('.') || 'it'} ${rule}`};
}

type Common = {
	readonly [Key in keyof z.infer<z.ZodMiniObject<typeof common>>]?: z.infer<z.ZodMiniObject<typeof common>>[Key];
};

function commonOf({timeout, disabled, envFile}: Common) {
	return {
		...(timeout !== undefined && {timeoutMs: timeout}),
		...(disabled && {disabled}),
		// VS Code writes the folder as a variable.
		...(envFile !== undefined && {envFile: envFile.replace(/^\$\{workspaceFolder\}\//, '')}),
	};
}

/** Returns a server as an entry of the file. */
export function entryOf(server: McpServer): JsonObject {
	const more = {
		...(server.timeoutMs !== undefined && {timeout: server.timeoutMs}),
		...(server.disabled && {disabled: true}),
		...(server.envFile !== undefined && {envFile: server.envFile}),
	};
	const used = (pairs: Words) => Object.keys(pairs).length > 0;
	if (server.type === 'http') {
		const {url, headers} = server;
		return {type: 'http', url, ...(used(headers) && {headers}), ...more};
	}

	const {command, args, env, cwd} = server;
	return {command, ...(args.length > 0 && {args}), ...(used(env) && {env}), ...(cwd && {cwd}), ...more};
}

/**
 * Returns the text of a file with the entry of a server, or without it. Everything else in the file stays. Returns undefined
 * if the file isn't one of servers.
 */
export function withEntry(source: string | undefined, name: string, entry: JsonObject | undefined): string | undefined {
	const value = source?.trim() ? parseJson(source) : {};
	const servers = isJsonObject(value) ? (value['mcpServers'] ?? {}) : undefined;
	if (!isJsonObject(value) || !isJsonObject(servers)) {
		return undefined;
	}

	const others = Object.entries(servers).filter(([other]) => other !== name);
	const mcpServers = Object.fromEntries(entry ? [...others, [name, entry]] : others);
	const indent = /^([\t ]+)"/m.exec(source ?? '')?.[1] ?? '\t';
	return `${JSON.stringify({...value, mcpServers}, undefined, indent)}\n`;
}

type Change = {
	/** The name of the server. */
	readonly name: string;
	/** Its new entry; undefined removes it. */
	readonly entry: JsonObject | undefined;
};

/** Changes one server in the user's own file. Throws AppError("failed") if that is damaged, and what `updateSmallFile` throws. */
export async function changeOwnServers(path: string, {name, entry}: Change): Promise<void> {
	await updateSmallFile(path, text => changed(path, text, {name, entry}));
}

/** Does the same with the file of a project, which keeps its mode: others may read it. */
export async function changeProjectServers(path: string, change: Change): Promise<void> {
	await assertNoLink(path);
	try {
		const text = await readFile(path, 'utf8').catch(error => {
			if (errnoOf(error) === 'ENOENT') {
				return undefined;
			}

			throw error;
		});
		await writeFile(path, changed(path, text, change));
	} catch (error) {
		throw error instanceof AppError ? error : explainFileError(error, 'write', path);
	}
}

function changed(path: string, text: string | undefined, {name, entry}: Change): string {
	const after = withEntry(text, name, entry);
	if (after === undefined) {
		throw new AppError('failed', `${path} is not a file of MCP servers.`, {
			hint: 'Fix it: {"mcpServers": {}} is the smallest one.',
		});
	}

	return after;
}
