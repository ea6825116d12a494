import {noun} from '../../src/command/command.ts';
import list from './workspace-list.ts';

export default noun({name: 'workspace', summary: 'Workspaces of an organization', verbs: [list]});
