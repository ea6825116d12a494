import {mkdirSync, writeFileSync} from 'node:fs';
import {dirname, join} from 'node:path';
import {createProject} from '../../../src/agent/project/project.ts';
import {openTrustStore} from '../../../src/config/project/trust-store.ts';
import {temporaryFolder} from '../../storage/temporary.ts';

type Files = Readonly<Record<string, string | Buffer>>;

export function write(folder: string, files: Files): void {
	for (const [name, content] of Object.entries(files)) {
		mkdirSync(dirname(join(folder, name)), {recursive: true});
		writeFileSync(join(folder, name), content);
	}
}

/** A home folder with a repository in it, and the state of the program. */
export function repository(files: Files, {own = {}, at = ''}: {readonly own?: Files; readonly at?: string} = {}) {
	const homeFolder = temporaryFolder();
	const folder = join(homeFolder, 'repo');
	const stateFolder = join(homeFolder, '.service');
	write(folder, {'.git/HEAD': '', ...files});
	mkdirSync(stateFolder, {mode: 0o700});
	write(stateFolder, own);
	const open = (more: {readonly trustsAll?: boolean; readonly wide?: string} = {}) =>
		createProject({
			folder: () => join(folder, at),
			...{homeFolder, stateFolder},
			store: openTrustStore(join(stateFolder, 'trust.json')),
			wideFolder: () => more.wide,
			trustsAll: more.trustsAll ?? false,
		});
	return {homeFolder, folder, stateFolder, open, project: open()};
}

export const paths = (files: readonly {readonly path: string}[]) => files.map(({path}) => path);
