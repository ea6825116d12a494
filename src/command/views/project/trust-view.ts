import {isInstruction} from '../../../agent/project/instruction-text.ts';
import {faultText, type JudgedFile, type ProjectState, type Standing} from '../../../agent/project/project.ts';
import {formatBytes, formatNumber} from '../../../core/format.ts';
import {exactLine} from '../../../terminal/text/blanks.ts';
import type {SubjectDrawing} from '../../../terminal/text/drawing.ts';
import {lineWidth, padEnd, truncate} from '../../../terminal/text/width.ts';
import {wrapLine} from '../../../terminal/text/wrap.ts';
import type {Result} from '../../result.ts';
import {serverLines} from '../mcp/server-lines.ts';

type Row = {
	readonly text: string;
	/** What rows of a wrapped text begin with. */
	readonly indent: string;
};

/** Characters that are not seen but that a model reads. */
const invisible = /[\u200B\u200E\u200F\u2028-\u202E\u2060-\u2069\uFEFF]|[\u{E0000}-\u{E007F}]|[\u{E0100}-\u{E01EF}]/gu;

/**
 * Returns how the files are drawn that the user is asked to trust: each with its kind and size, and every hook and MCP server
 * exactly.
 */
export function trustDrawing(
	files: readonly JudgedFile[],
	{root}: Pick<ProjectState, 'root'>,
	shownRoot = root,
): SubjectDrawing {
	const longest = Math.max(0, ...files.map(({path}) => lineWidth(exactLine(path))));
	return rowsDrawing(
		`Files for the agent in ${exactLine(shownRoot)}`,
		files.flatMap(file => rowsOf(file, longest)),
	);
}

/** Returns how rows are drawn that the user scrolls through. Title and texts are safe. */
export function rowsDrawing(title: string, rows: readonly Row[]): SubjectDrawing {
	const drawn = (width: number) => rows.map(({text, indent}) => wrapLine(text, width, {rest: indent, hard: true}));
	return {
		title: ({width, palette}) => palette.label(truncate(title, width)),
		window({width, rows: room, offset = 0}) {
			const lines = drawn(width).slice(offset);
			const all = lines.flat();
			if (all.length <= room) {
				return {shown: all, leftOut: 0};
			}

			const shown = all.slice(0, Math.max(1, room - 1));
			return {shown, leftOut: all.length - shown.length};
		},
		rows: (width, maxLines) => drawn(width).slice(0, maxLines).flat().length,
	};
}

function rowsOf(file: JudgedFile, longest: number): readonly Row[] {
	const {path, kind, standing, settings, sizeBytes, isCut} = file;
	const hidden = file.text.match(invisible)?.length ?? 0;
	const facts = [
		kind,
		formatBytes(sizeBytes),
		...(isCut ? ['only its beginning is used'] : []),
		...(standing === 'changed' ? ['changed'] : []),
		...(hidden > 0 ? [`${formatNumber(hidden)} invisible characters`] : []),
	];
	const hooks = (settings?.hooks ?? []).map(({event, tool, command}) => {
		const when = tool === undefined ? event : `${event} ${tool}`;
		return `  hook ${exactLine(when)}: ${exactLine(command)}`;
	});
	const servers = (file.mcp?.servers ?? []).flatMap(serverLines).map(line => `  ${exactLine(line)}`);
	const denied = (settings?.deny ?? []).map(rule => `  deny ${exactLine(rule)}`);
	const at = settings?.fields.compact_at;
	const share = at === undefined ? [] : [`  compact at ${at}% of the context window`];
	const leaves = settings?.hooks.some(({sandbox}) => sandbox === false) ?? false;
	const ignored = [...(settings?.ignored ?? []), ...(leaves ? ['sandbox'] : [])];
	return [
		{text: `${padEnd(exactLine(path), longest)}  ${facts.join(' · ')}`, indent: '  '},
		...[...hooks, ...servers, ...denied, ...share].map(text => ({text, indent: '    '})),
		...(ignored.length > 0 ? [{text: `  ignored: ${exactLine(ignored.join(', '))}`, indent: '    '}] : []),
	];
}

/** Returns the question about these files. */
export function questionFor(files: readonly JudgedFile[]): string {
	const changed = files.filter(({standing}) => standing === 'changed');
	if (changed.length > 0) {
		return `Changed since you answered: ${namesOf(changed)}. Trust?`;
	}

	const hasHooks = files.some(({settings}) => settings && settings.hooks.length > 0);
	const hasServers = files.some(({mcp}) => mcp && mcp.servers.length > 0);
	if (hasHooks || hasServers) {
		const parts = [...(hasHooks ? ['run their hooks'] : []), ...(hasServers ? ['start their MCP servers'] : [])];
		return `Trust these files, and ${parts.join(' and ')}?`;
	}

	return files.every(isInstruction) ? 'Trust these files? They tell the agent how to work here.' : 'Trust these files?';
}

/** Returns the first names of files, and how many more there are. */
export function namesOf(files: ReadonlyArray<{readonly path: string}>): string {
	const shown = files.slice(0, 3).map(({path}) => path);
	return files.length > shown.length ? `${shown.join(', ')} and ${files.length - shown.length} more` : shown.join(', ');
}

const standings: Readonly<Record<Standing, string>> = {
	user: 'yours',
	trusted: 'trusted',
	refused: 'not trusted',
	new: 'not trusted: new',
	changed: 'not trusted: changed',
};

/** Returns the files with which a project tells the agent how to work, and whether each is used. */
export function trustTable(state: ProjectState): Result {
	const {root, files, faults, ownFaults} = state;
	return {
		kind: 'table',
		title: `Files for the agent in ${root}`,
		columns: [{label: 'file', cut: 'middle'}, {label: 'kind'}, {label: 'size', align: 'right'}, {label: 'status'}],
		rows: files.map(({path, kind, sizeBytes, standing, filesHash}) => [
			path,
			filesHash ? `${kind}, with files` : kind,
			formatBytes(sizeBytes),
			standings[standing],
		]),
		empty: 'No instructions, settings or hooks here. Write AGENTS.md with `/memory init`.',
		notes: [
			...files.flatMap(hookLines),
			...files.flatMap(({path, mcp}) => (mcp?.servers ?? []).map(server => `${serverLines(server)[0]} (${path})`)),
			...[...ownFaults, ...faults].map(faultText),
		],
		data: {root, files: files.map(dataOf), faults: [...ownFaults, ...faults].map(({path, reason}) => ({path, reason}))},
	};
}

function hookLines({path, settings}: JudgedFile): readonly string[] {
	return (settings?.hooks ?? []).map(({event, tool, command}) => {
		const when = tool === undefined ? event : `${event} ${tool}`;
		return `hook ${when}: ${command} (${path})`;
	});
}

function dataOf({path, kind, sizeBytes, standing, hash, settings, mcp}: JudgedFile) {
	const hooks = (settings?.hooks ?? []).map(({event, command, tool, timeoutSec}) => ({
		event,
		command,
		...(tool !== undefined && {tool}),
		...(timeoutSec !== undefined && {timeout_sec: timeoutSec}),
	}));
	return {
		path,
		kind,
		bytes: sizeBytes,
		status: standing,
		sha256: hash,
		...(settings && {hooks, deny: settings.deny}),
		...(mcp && {servers: mcp.servers.map(({name}) => name)}),
	};
}
