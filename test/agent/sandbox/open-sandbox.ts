import {execFileSync} from 'node:child_process';
import {writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {openCommands} from '../tools/command/open-commands.ts';
import {git} from '../tools/workspace.ts';

/** Opens a workspace whose commands run in the sandbox and nowhere else. */
export async function sandboxed(files: Parameters<typeof openCommands>[0] = {}) {
	return openCommands({
		answer: ({act}) => ({allowed: act.kind === 'command' && act.containment === 'sandbox'}),
		...files,
	});
}

/** Returns a workspace with a repository of one commit. */
export async function repository() {
	const opened = await sandboxed({files: {'a.txt': 'a\n'}});
	const {workspace, home} = opened;
	git(workspace, 'init', '-q');
	git(workspace, 'add', '.');
	git(workspace, 'commit', '-qm', 'one');
	writeFileSync(join(home, '.gitconfig'), '[user]\n\tname = t\n\temail = t@example.com\n');
	const inHome = (command: string) => opened.run(`export HOME=${home}; ${command}`);
	const head = () => execFileSync('git', ['rev-list', '--count', 'HEAD'], {cwd: workspace}).toString().trim();
	return {...opened, inHome, head};
}
