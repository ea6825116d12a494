import {noun} from '../../src/command/command.ts';
import allow from './approvals-allow.ts';
import deny from './approvals-deny.ts';
import explain from './approvals-explain.ts';
import list from './approvals-list.ts';
import mode from './approvals-mode.ts';
import revoke from './approvals-revoke.ts';

export default noun({
	name: 'approvals',
	summary: 'What the agent may do without asking',
	verbs: [list, mode, allow, deny, revoke, explain],
	fallback: 'list',
});
