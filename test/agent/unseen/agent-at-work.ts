import {join} from 'node:path';
import {onTestFinished} from 'vitest';
import {createCommandSession} from '../../../src/agent/tools/command/command-session.ts';
import {createEditFile} from '../../../src/agent/tools/edit-file.ts';
import {createReadFile} from '../../../src/agent/tools/read-file.ts';
import {createWriteFile} from '../../../src/agent/tools/write-file.ts';
import {findUnseen, nameFile} from '../../../src/agent/unseen/start-gate.ts';
import type {ToolContext} from '../../../src/core/session/tool.ts';
import {makeWorkspace} from '../tools/workspace.ts';

type Options = {
	/** The folder of the session below the workspace. */
	readonly at?: string;
};

/** An agent that changes files of a working folder with its real tools, in a mode that doesn't ask. */
export async function agentAtWork(files: Readonly<Record<string, string>> = {}) {
	const {workspace, stateFolder, context, root} = await makeWorkspace(files);
	/** A session in the folder, or below it. */
	const session = ({at = ''}: Options = {}) => {
		const folder = join(workspace, at);
		const places = {stateFolder};
		const commands = createCommandSession({places});
		onTestFinished(() => commands.end());
		const readFiles: ToolContext['readFiles'] = new Map();
		const by = (seen: boolean): ToolContext => ({
			...context,
			workspace: folder,
			readFiles,
			async approve({onSeen}) {
				if (seen) {
					onSeen?.();
				}

				return {allowed: true};
			},
		});
		const start = (command: string) =>
			commands.start({command, workspace: folder, containment: 'sandbox', readOnly: false, secrets: []});
		return {
			commands,
			start,
			/** Runs a command in the sandbox. Returns its output. */
			async run(command: string) {
				const {ended, output} = await start(command);
				await ended;
				return output.take().text;
			},
			/** Writes a file as a whole; the user sees the change only if they are asked. */
			async write(path: string, text: string, {seen = false} = {}) {
				await createReadFile(places, commands.outputFiles)
					.run({path}, by(seen))
					.catch(() => undefined);
				await createWriteFile(places).run({path, content: text}, by(seen));
			},
			async edit(path: string, from: string, to: string, {seen = false} = {}) {
				await createReadFile(places, commands.outputFiles).run({path}, by(seen));
				await createEditFile(places).run({path, edits: [{old_text: from, new_text: to}]}, by(seen));
			},
		};
	};

	return {
		folder: workspace,
		stateFolder,
		root,
		session,
		...session(),
		/** Returns what nobody saw in the folder, or in another one. */
		async unseen(project = workspace) {
			const {files, fault} = await findUnseen(project, stateFolder);
			return fault === undefined ? files.map(file => nameFile(file, project)).sort() : [fault];
		},
	};
}
