import {noun} from '../../src/command/command.ts';
import forget from './profile-forget.ts';
import list from './profile-list.ts';
import use from './profile-use.ts';

export default noun({name: 'profile', summary: 'Servers that you logged in to', verbs: [list, use, forget]});
