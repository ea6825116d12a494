import {entryOf} from '../core/entry-of.ts';
import {AppError} from '../core/error.ts';
import {isJsonObject, parseJson} from '../core/json.ts';
import {lastState} from './line-state.ts';

/** From the least to the most severe. */
export const levels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal'] as const;

export type Level = (typeof levels)[number];

/**
 * Returns the level of `level>=warn`, as filters and watches are told one; undefined for any other text. Throws
 * `AppError("usage")` for an unknown level.
 */
export function readLeastLevel(text: string): Level | undefined {
	const [, name] = /^level>=(\S*)$/i.exec(text) ?? [];
	const level = levels.find(each => each === name?.toLowerCase());
	if (name !== undefined && level === undefined) {
		throw new AppError('usage', `Invalid level “${name}”.`, {hint: `Use level>= with one of ${levels.join(', ')}.`});
	}

	return level;
}

/** Characters of a line that are examined: a level is at its beginning, except in JSON. */
const headLength = 512;
const maxJsonLength = 256 * 1024;

const names: Readonly<Record<string, Level>> = {
	trace: 'trace',
	verbose: 'trace',
	debug: 'debug',
	dbg: 'debug',
	info: 'info',
	information: 'info',
	notice: 'info',
	warn: 'warn',
	warning: 'warn',
	err: 'error',
	error: 'error',
	severe: 'error',
	critical: 'fatal',
	crit: 'fatal',
	alert: 'fatal',
	emerg: 'fatal',
	emergency: 'fatal',
	fatal: 'fatal',
	panic: 'fatal',
};

/** Numbers of pino and bunyan. Other numbers, such as those of syslog, mean something else. */
export const levelNumbers: Readonly<Record<string, Level>> = {
	10: 'trace',
	20: 'debug',
	30: 'info',
	40: 'warn',
	50: 'error',
	60: 'fatal',
};

const klogLetters: Readonly<Record<string, Level>> = {I: 'info', W: 'warn', E: 'error', F: 'fatal'};

/** The names of the field with the level, in JSON and logfmt. */
export const levelKeys = ['level', 'severity', 'lvl', 'levelname', 'log.level', 'loglevel'];

const word = Object.keys(names).join('|');
const keys = levelKeys.map(key => key.replace('.', '\\.')).join('|');
const logfmt = new RegExp(`(?:^|\\s)(?:${keys})=("?)(${word})\\1(?=\\s|$)`, 'i');
const klog = /^([IWEF])\d{4} \d\d:\d\d:\d\d\.\d+\s+\d+ [^\s:]+:\d+\]/;
/** `[INFO]`, `[info ]`, also after a time or a name; only near the beginning, because a message may quote one. */
const bracketed = new RegExp(`^.{0,80}?\\[\\s*(${word})\\s*\\]`, 'i');
/** Python: `WARNING:root:text`; uvicorn: `INFO:     text`. */
const colon = new RegExp(`^(${word})\\s*:`, 'i');
/** A time of day, alone or after a date. */
const time = /^(?:\d{4}-\d\d-\d\d[T ])?\d\d:\d\d(?::\d\d)?\S{0,40}/;
const capitals = new RegExp(`^(?:${word})$`.toUpperCase());

/** Returns the level that the last state of a line names; undefined if it is uncertain. Ignores colours. */
export function levelOf(received: string): Level | undefined {
	const line = lastState(received);
	const isJson = /^\s{0,8}\{/.test(line);
	if (isJson) {
		return line.length <= maxJsonLength ? levelOfJson(line) : undefined;
	}

	const start = line.slice(0, headLength);
	const text = start.includes('\u001B') ? start.replace(/\u001B\[[0-9;:]{0,64}m/g, '') : start;
	const klogLetter = klog.exec(text)?.[1];
	if (klogLetter) {
		return klogLetters[klogLetter];
	}

	const name = colon.exec(text)?.[1] ?? logfmt.exec(text)?.[2] ?? bracketed.exec(text)?.[1] ?? nameAfterTime(text);
	return name ? names[name.toLowerCase()] : undefined;
}

/** Returns true for a level at least as severe as `least`, and for an unknown one: unknown levels are shown. */
export function isAtLeast(level: Level | undefined, least: Level): boolean {
	return level === undefined || levels.indexOf(level) >= levels.indexOf(least);
}

/** Finds `2026-01-01 12:00:00,123 - name - WARNING - text`, `12:00:00 INFO text`. Only capitals: prose has none. */
function nameAfterTime(text: string): string | undefined {
	const moment = time.exec(text)?.[0];
	const words = moment === undefined ? [] : text.slice(moment.length, 160).split(/[\s|:-]+/, 5);
	return words.find(candidate => capitals.test(candidate));
}

function levelOfJson(line: string): Level | undefined {
	const record = parseJson(line);
	if (!isJsonObject(record)) {
		return undefined;
	}

	for (const key of levelKeys) {
		const value = entryOf(record, key);
		const level =
			typeof value === 'number' ? levelNumbers[value] : typeof value === 'string' && names[value.toLowerCase()];
		if (level) {
			return level;
		}
	}

	return undefined;
}
