// Runs one command as the program does, until it is killed.
import {createCommandSession} from '../../../src/agent/tools/command/command-session.ts';

const [, , workspace = '', stateFolder = '', homeFolder = '', containment = '', command = ''] = process.argv;
const session = createCommandSession({places: {stateFolder, homeFolder}});
const started = await session.start({
	...{command, workspace, readOnly: false, secrets: []},
	containment: containment === 'sandbox' ? 'sandbox' : 'none',
});
await started.ended;
