import {settingTable} from '../../config/settings/setting-table.ts';
import {reportError} from '../../core/error.ts';
import {formatAmount} from '../../core/format.ts';
import {type Json, type JsonObject, parseJson, wellFormedJson} from '../../core/json.ts';
import {redact} from '../../core/secrets/redact.ts';
import type {CommandContext} from '../context.ts';
import type {Result} from '../result.ts';
import {type SettingState, settingStates} from '../settings/setting-states.ts';

/** Variables that describe the terminal; none holds a secret or a name. */
const terminalVariables = [
	'TERM',
	'TERM_PROGRAM',
	'TERM_PROGRAM_VERSION',
	'COLORTERM',
	'VTE_VERSION',
	'LANG',
	'LC_ALL',
	'LC_CTYPE',
	'NO_COLOR',
	'ACCESSIBLE',
	'WT_SESSION',
	'TMUX',
	'STY',
	'SSH_TTY',
];

/** Variables whose value is of no use, or names a place: only that they are set is told. */
const onlySet = new Set(['WT_SESSION', 'TMUX', 'STY', 'SSH_TTY']);

/** Lines of the debug log, from its end. */
const maxLogLines = 200;
const maxLogBytes = 64 * 1024 * 1024;

/**
 * Writes what a bug report needs into a new private file: what `doctor` found, versions, terminal, settings, and the end of the
 * debug log, without credentials, messages, and names of servers and of places on them. Tells first what it holds. `checked` is
 * the result of `doctor`. Throws as `writeFile` does.
 */
export async function writeBundle(file: string, checked: Json, context: CommandContext): Promise<Result> {
	const log = await debugLines(context);
	const bundle: JsonObject = {
		version: 1,
		created_at: new Date().toISOString(),
		doctor: checked,
		system: {node: process.version, platform: process.platform, arch: process.arch},
		terminal: terminalOf(context.program.local.env),
		settings: (await settingStates(context)).map(settingOf),
		debug_log: log.lines,
	};
	context.ui.interact.say(
		`The bundle has the checks of doctor, versions, variables of the terminal, settings, ${log.about}. Keys, messages and names of servers and organizations are left out.`,
	);
	const text = `${withoutNames(redact(wellFormedJson(bundle, 2)), context)}\n`;
	const path = await context.program.files.write(file, text);
	return {
		kind: 'text',
		text: `Wrote ${path}. Read it before you share it.`,
		data: {path, bytes: Buffer.byteLength(text), debug_lines: log.lines.length},
	};
}

function terminalOf(env: CommandContext['program']['local']['env']): JsonObject {
	const set = terminalVariables.filter(name => env[name] !== undefined);
	return Object.fromEntries(set.map(name => [name, onlySet.has(name) ? 'set' : (env[name] ?? '')]));
}

/** Returns a setting; of a text or a list, which may name people and places, only that it is set. */
function settingOf({key, value, source}: SettingState): JsonObject {
	const {kind} = settingTable[key].type;
	const isTold = value === undefined || (kind !== 'text' && kind !== 'json') || key === 'model';
	return {key, source, value: isTold ? (value ?? null) : 'set'};
}

/** Returns the end of the debug log, and a few words about it. */
async function debugLines({
	program,
}: CommandContext): Promise<{readonly lines: readonly Json[]; readonly about: string}> {
	const file = program.local.env['SERVICE_DEBUG'];
	if (!file) {
		return {lines: [], about: 'no debug log (SERVICE_DEBUG names none)'};
	}

	try {
		const text = Buffer.from(await program.files.read(file, maxLogBytes)).toString('utf8');
		const lines = text.trimEnd().split('\n').slice(-maxLogLines).filter(Boolean);
		const about = `the last ${formatAmount(lines.length, 'line')} of the debug log`;
		return {lines: lines.map(line => parseJson(line) ?? line), about};
	} catch (error) {
		return {lines: [], about: `no debug log (${reportError(error).message})`};
	}
}

/** Variables whose values name hosts of the user's network. */
const hostVariables = ['HTTPS_PROXY', 'HTTP_PROXY', 'ALL_PROXY', 'NO_PROXY', 'SERVICE_SERVER'].flatMap(name => [
	name,
	name.toLowerCase(),
]);

/** The names of organizations, workspaces and projects in the paths of a server. */
const places = /(?<=\/(?:org|ws|projects)\/)[^\s/?"'`\\,]+/g;

/**
 * Returns a text without the names of hosts and places on them, and without that of the user, which the path of the home
 * folder has.
 */
function withoutNames(text: string, {program, flags}: CommandContext): string {
	const servers = Object.values(program.local.config.read().profiles).map(({server}) => server);
	const named = [flags.server ?? '', ...servers, ...hostVariables.map(name => program.local.env[name] ?? '')]
		.flatMap(value => value.split(/[\s,]+/))
		.map(address => address.replace(/^\w+:\/\//, '').replace(/^.*@|(?::\d+)?(?:\/.*)?$/g, ''))
		.filter(host => host.length > 3 && !local.test(host))
		.toSorted((first, second) => second.length - first.length);
	const shown = text.replace(/(?<=https?:\/\/)(?!127\.0\.0\.1|localhost|\[::1\])[^\s/"'`\\,]+/gi, '***');
	const unplaced = shown.replace(places, '***');
	const hidden = named.reduce((rest, host) => rest.replaceAll(host, '***'), unplaced);
	const {HOME = ''} = program.local.env;
	return HOME.length > 1 ? hidden.replaceAll(JSON.stringify(HOME).slice(1, -1), '~') : hidden;
}

/** This machine, which names nobody. */
const local = /^(?:localhost|127\.0\.0\.1|\[?::1\]?)$/;
