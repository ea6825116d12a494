import {createHash} from 'node:crypto';
import {readFile} from 'node:fs/promises';
import {basename} from 'node:path';

/** Baked in by the build, as JSON: the SHA-256 of each script beside the program, by its name. Sources have none. */
declare const SCRIPT_HASHES: string | undefined;

const baked = typeof SCRIPT_HASHES === 'undefined' ? {} : JSON.parse(SCRIPT_HASHES);

/**
 * Returns false if a script beside the program is missing or of another build, which took the place of the running one: the
 * two may not understand each other. Returns true for a script that the build doesn't know.
 */
export async function isOfThisBuild(script: URL, hashes: Readonly<Record<string, string>> = baked): Promise<boolean> {
	const expected = hashes[basename(script.pathname)];
	if (expected === undefined) {
		return true;
	}

	const found = await readFile(script).catch(() => undefined);
	return found !== undefined && createHash('sha256').update(found).digest('hex') === expected;
}
