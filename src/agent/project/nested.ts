import {dirname, relative, resolve, sep} from 'node:path';
import {opensFile} from '../../core/session/call-words.ts';
import type {Tool, ToolContext} from '../../core/session/tool.ts';
import {nestedInstructionText} from './instruction-text.ts';
import type {Project} from './project.ts';

type Options = {
	readonly project: Project;
	/** Returns the id of the session: each file is shown to the model once in it. */
	readonly session: () => string;
	/** Masks credentials. */
	readonly hide: (text: string) => string;
};

/**
 * Returns what adds the instructions of a folder to the first result about a file in it. Instructions that the user doesn't
 * trust are left out with a notice.
 */
export function createNestedInstructions({project, session, hide}: Options) {
	let shown: {readonly session: string; readonly prefixes: Set<string>} = {session: '', prefixes: new Set()};

	const textFor = async (path: string, {workspace, onNotice}: ToolContext): Promise<string> => {
		if (shown.session !== session()) {
			shown = {session: session(), prefixes: new Set()};
		}

		const {root} = await project.state();
		const fresh = foldersBetween(root, workspace, path).filter(prefix => !shown.prefixes.has(prefix));
		const files = fresh.length > 0 ? await project.readNested(fresh) : [];
		for (const prefix of fresh) {
			shown.prefixes.add(prefix);
		}

		const unused = files.filter(({standing}) => standing !== 'trusted');
		if (unused.length > 0) {
			const names = unused.map(file => file.path).join(', ');
			onNotice?.(`Not trusted, so not used: ${names}.`);
		}

		const used = files.filter(({standing}) => standing === 'trusted');
		return used.length > 0 ? `\n\n${nestedInstructionText(used, hide)}` : '';
	};

	return (tool: Tool): Tool =>
		opensFile(tool.name)
			? {
					...tool,
					async run(args, context) {
						const result = await tool.run(args, context);
						const {path} = args;
						return typeof path === 'string' ? result + (await textFor(path, context)) : result;
					},
				}
			: tool;
}

/** Returns the folders below the workspace that hold a file, relative to the root and with `/` at the end. */
export function foldersBetween(root: string, workspace: string, path: string): readonly string[] {
	const folder = dirname(resolve(workspace, path));
	const below = relative(workspace, folder);
	if (below === '' || below === '..' || below.startsWith(`..${sep}`)) {
		return [];
	}

	const names = below.split(sep);
	return names.map((_, index) =>
		`${relative(root, resolve(workspace, ...names.slice(0, index + 1)))}/`.replaceAll(sep, '/'),
	);
}
