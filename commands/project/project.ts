import {noun} from '../../src/command/command.ts';
import list from './project-list.ts';

export default noun({name: 'project', summary: 'Projects of a workspace', verbs: [list]});
