import {dirname, join} from 'node:path';
import {localMcpFile, ownMcpFile, projectMcpFile} from '../agent/project/mcp-files.ts';
import type {McpChange} from '../command/mcp/mcp-access.ts';
import {changeOwnServers, changeProjectServers} from '../config/mcp/mcp-file.ts';
import type {Home} from '../storage/home.ts';
import {makePrivateFolder} from '../storage/private-folder.ts';
import type {LocalState} from './local-state.ts';

/** Changes a server in the file of its scope. Returns the path of the file. Throws as `McpAccess.change` does. */
export async function changeServerFile(
	{scope, ...change}: McpChange,
	home: Home,
	project: LocalState['project'],
): Promise<string> {
	const {root} = await project.load();
	if (scope === 'project') {
		return changeProject(change, root, project);
	}

	const path = join(home.path, scope === 'local' ? localMcpFile(root) : ownMcpFile);
	if (scope === 'local') {
		for (const folder of [dirname(dirname(path)), dirname(path)]) {
			makePrivateFolder(folder, {hint: 'Replace it with a folder of your own.'});
		}
	}

	await changeOwnServers(path, change);
	await project.load();
	return path;
}

/** Changes the file of the project, which stays trusted if it was, with the scripts that it names. */
async function changeProject(
	change: Omit<McpChange, 'scope'>,
	root: string,
	project: LocalState['project'],
): Promise<string> {
	const before = await project.state();
	const path = join(root, projectMcpFile);
	const standing = before.files.find(file => file.path === projectMcpFile)?.standing;
	await changeProjectServers(path, change);
	const after = (await project.load()).files.filter(
		file => file.path === projectMcpFile || (file.kind.startsWith('server ') && file.standing === 'new'),
	);
	if (standing === undefined || standing === 'trusted') {
		await project.decide(true, after);
	}

	return path;
}
