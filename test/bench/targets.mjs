import {accessSync, constants, readFileSync, statSync} from 'node:fs';
import {delimiter, join} from 'node:path';
import process from 'node:process';
import {z} from 'zod';

const text = z.string().min(1);
const schema = z.array(
	z.strictObject({
		/** The heading of its column. */
		name: text,
		/** A program in PATH. */
		command: text,
		args: z.array(z.string()).default([]),
		/** What asks for its version, without a terminal. */
		version: z.array(z.string()).default(['--version']),
		/** What makes it answer this prompt, `{prompt}`, without a terminal. */
		once: z.array(z.string()).default(['-p', '{prompt}']),
		/** Text of its first frame that says it takes keys. */
		ready: text,
		env: z.record(z.string(), z.string()).default({}),
		/** Files of its home folder, by path, as text: what it would otherwise ask at its first start. */
		files: z.record(z.string().regex(/^(?!\/)(?!.*\.\.)/, 'leaves the home folder'), z.string()).default({}),
	}),
);

/**
 * Reads a file of programs to measure beside ours. Throws an error of one line that names the file and what is wrong.
 * @param {string} source The JSON text
 * @param {string} path For errors
 */
export function parseTargets(source, path) {
	let value;
	try {
		value = JSON.parse(source);
	} catch (error) {
		throw new Error(`${path} isn't JSON: ${error.message}`);
	}

	const parsed = schema.safeParse(value);
	if (!parsed.success) {
		const [{path: place, message}] = parsed.error.issues;
		throw new Error(`${path}: ${[...place, message].join(' ')}`);
	}

	const names = parsed.data.map(({name}) => name);
	const twice = names.find((name, index) => names.indexOf(name) !== index);
	if (twice !== undefined) {
		throw new Error(`${path}: two programs are named “${twice}”.`);
	}

	return parsed.data;
}

/** Returns the targets of a file whose command is in PATH, and the names of those that aren't. */
export function installedTargets(path, {PATH = ''} = process.env) {
	const targets = parseTargets(readFileSync(path, 'utf8'), path);
	const isInstalled = ({command}) => PATH.split(delimiter).some(folder => isProgram(join(folder, command)));
	return {
		installed: targets.filter(isInstalled),
		missing: targets.filter(target => !isInstalled(target)).map(({name}) => name),
	};
}

function isProgram(path) {
	try {
		accessSync(path, constants.X_OK);
		return statSync(path).isFile();
	} catch {
		return false;
	}
}

/**
 * Returns text with `{home}`, `{project}`, `{host}` and `{prompt}` replaced: the folders of a run, the URL of the model
 * server, and what to ask.
 */
export const fillIn = (source, places) => source.replace(/\{(home|project|host|prompt)\}/g, (_, name) => places[name]);
