import {copyFileSync, cpSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync} from 'node:fs';
import {dirname, join} from 'node:path';
import {onTestFinished} from 'vitest';

const kept = join(import.meta.dirname, '../../node_modules/.service-compiled');

/** Opens the compiled code of the program with this path, which programs of all tests share; removes that of other builds. */
export function openCompiledCode(program: string) {
	const build = `${Math.trunc(statSync(program).mtimeMs)}-${process.version}`;
	const shared = join(kept, build);
	mkdirSync(shared, {recursive: true, mode: 0o700});
	for (const name of readdirSync(kept).filter(name => name !== build)) {
		rmSync(join(kept, name), {recursive: true, force: true});
	}

	return {
		/** Copies the code to a state folder without any, and keeps what the programs of this test add. */
		share(home: string): void {
			const cache = join(home, 'cache');
			if (existsSync(cache) || !existsSync(dirname(home))) {
				return;
			}

			mkdirSync(home, {recursive: true, mode: 0o700});
			cpSync(shared, cache, {recursive: true});
			const copied = fileTimes(cache);
			onTestFinished(() => {
				for (const [name, timeMs] of fileTimes(cache)) {
					if (copied.get(name) !== timeMs) {
						replace(join(cache, name), join(shared, name));
					}
				}
			});
		},
	};
}

/** Returns when each file below a folder was changed; empty if there is no folder. */
function fileTimes(folder: string): ReadonlyMap<string, number> {
	const names = existsSync(folder) ? readdirSync(folder, {recursive: true, encoding: 'utf8'}) : [];
	const stats = names.map(name => [name, statSync(join(folder, name))] as const);
	return new Map(stats.filter(([, stat]) => stat.isFile()).map(([name, {mtimeMs}]) => [name, mtimeMs]));
}

/** Copies a file so that no other process reads half of it, or lists it while it is being written. */
function replace(from: string, to: string): void {
	const temporary = `${kept}-${process.pid}`;
	mkdirSync(dirname(to), {recursive: true, mode: 0o700});
	copyFileSync(from, temporary);
	renameSync(temporary, to);
}
