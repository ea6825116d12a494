import {homedir} from 'node:os';
import {isAbsolute, join} from 'node:path';
import {AppError, messageOf} from '../../core/error.ts';
import {formatBytes} from '../../core/format.ts';
import {isSecretName} from '../../core/secrets/redact-positions.ts';
import {boundsOf} from '../policy/bounds.ts';
import {envFileIn} from '../project/mcp-files.ts';
import type {Project} from '../project/project.ts';
import {type FileContent, maxFileBytes, readInside, readOwn} from '../project/read-file.ts';
import type {ConfiguredServer} from './configured-servers.ts';

/** Words, small numbers, local addresses and paths. */
const harmless =
	/^(?:[a-z]{0,20}|[A-Z]{0,20}|\d{1,9}|(?:localhost|[\d.]{7,15})(?::\d{1,5})?|\.{0,2}(?:\/[\w.-]+)+\/?)$/;

/** The variables of a server's `envFile`. */
export type FileVariables = {
	readonly variables: Readonly<Record<string, string>>;
	/** Those values that no output may show. */
	readonly hidden: readonly string[];
};

/**
 * Reads the `envFile` of a server; without one it has no variables. That of a project is a file in the project. Throws
 * AppError("usage") for a file that can't be used.
 */
export async function readEnvFile(configured: ConfiguredServer, project: Project): Promise<FileVariables> {
	const {server} = configured;
	const {envFile} = server;
	if (envFile === undefined) {
		return {variables: {}, hidden: []};
	}

	const refuse = (reason: string) =>
		new AppError('usage', `The MCP server “${server.name}” can't use its envFile ${envFile}: ${reason}.`);
	const content = await contentOf(configured, envFile, project).catch(error => {
		throw refuse([messageOf(error), error instanceof AppError ? error.hint : ''].join(' ').trim().replace(/\.$/, ''));
	});
	if (!content || content.isCut) {
		throw refuse(content ? `it is larger than ${formatBytes(maxFileBytes)}` : 'it was not found');
	}

	const read = parseEnvFile(content.text);
	if ('wrongLine' in read) {
		throw refuse(`line ${read.wrongLine} is not NAME=value`);
	}

	const {variables} = read;
	const hidden = Object.entries(variables).flatMap(([name, value]) => (isHarmless(name, value) ? [] : [value]));
	return {variables, hidden};
}

/** Reads the file by the rules of its scope: only the user's own entries may name one outside of the project. */
async function contentOf(
	{scope, path}: ConfiguredServer,
	envFile: string,
	{state, places}: Project,
): Promise<FileContent | undefined> {
	const isElsewhere = isAbsolute(envFile) || envFile.startsWith('~/');
	if (scope === 'project' && isElsewhere) {
		throw new AppError('usage', 'its path must be relative to .mcp.json');
	}

	if (isElsewhere) {
		return readOwn(envFile.startsWith('~/') ? join(places.homeFolder ?? homedir(), envFile.slice(2)) : envFile);
	}

	const {root, files} = await state();
	const name = envFileIn(path, envFile);
	const content = await readInside(name, await boundsOf(root, places), async () => undefined);
	const agreed = files.find(file => file.kind === 'server variables' && file.path === name);
	if (scope === 'project' && content && !(agreed?.standing === 'trusted' && agreed.hash === content.hash)) {
		const how = agreed?.standing === 'new' ? 'is new' : 'changed';
		throw new AppError('failed', `${name} ${how}, and MCP servers run only what you trust.`, {
			hint: 'Check it, then trust it with `trust add`.',
		});
	}

	return content;
}

/** True for a value that is surely no credential: hiding every “production” in an answer would damage it. */
function isHarmless(name: string, value: string): boolean {
	return !isSecretName(name) && harmless.test(value);
}

/** What a file of variables says, or the first line that is no variable, counted from 1. */
type EnvFile = {readonly variables: Readonly<Record<string, string>>} | {readonly wrongLine: number};

/** A variable, as `.env` files have it: quotes may hold several lines, and a comment may follow. */
const variable =
	/[ \t]*(?:export[ \t]+)?([A-Za-z_]\w*)[ \t]*=[ \t]*(?:(?:'([^']*)'|"((?:[^"\\]|\\.)*)")[ \t]*(?:#[^\n]*)?|((?![ \t'"])[^\n]*))(?:\n|$)/sy;
const blank = /[ \t]*(?:#[^\n]*)?(?:\n|$)/y;

const escapes: Readonly<Record<string, string>> = {n: '\n', r: '\r', t: '\t'};

/** Parses a file of `NAME=value` lines. Of several lines with one name, the last one counts. */
export function parseEnvFile(source: string): EnvFile {
	const text = source.replace(/\r(?=\n|$)/g, '').replace(/^\uFEFF/, '');
	const variables = new Map<string, string>();
	for (let at = 0; at < text.length; ) {
		blank.lastIndex = at;
		variable.lastIndex = at;
		const skipped = blank.exec(text)?.[0].length ?? 0;
		const found = skipped > 0 ? undefined : variable.exec(text);
		const length = found?.[0].length ?? skipped;
		if (length === 0) {
			return {wrongLine: text.slice(0, at).split('\n').length};
		}

		const [, name, single, double, bare = ''] = found ?? [];
		if (name !== undefined) {
			variables.set(
				name,
				single ?? double?.replace(/\\(.)/gs, (_, each: string) => escapes[each] ?? each) ?? withoutComment(bare),
			);
		}

		at += length;
	}

	return {variables: Object.fromEntries(variables)};
}

/** A comment begins with a space: an address may have `#`. */
function withoutComment(value: string): string {
	const at = value.search(/(?:^|[ \t])#/);
	return (at < 0 ? value : value.slice(0, at)).trimEnd();
}
