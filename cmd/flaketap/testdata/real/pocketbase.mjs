// A client of PocketBase, written with its own SDK: people sign up, log in, write posts and comments, upload files, page
// through lists, change and delete what is theirs and try the same with what is not. What it does depends on its seed and
// on nothing else; every id, token and file name is the server's.
//
//   node pocketbase.mjs setup URL                makes the collections, in an empty PocketBase
//   node pocketbase.mjs run URL [PEOPLE STEPS]   works with them: so many people, so many steps of each
import { createRequire } from 'node:module';

const PocketBase = createRequire(import.meta.url)(process.env.POCKETBASE_SDK);
const [what, url, people = 24, stepsOfEach = 100] = process.argv.slice(2);

let state = 20261121;
const draw = (n) => { // xorshift32
  state ^= state << 13; state ^= state >>> 17; state ^= state << 5;
  return (state >>> 0) % n;
};
const pick = (list) => list[draw(list.length)];
const text = () => Array.from({ length: 2 + draw(4) }, () => pick(['river', 'stone', 'lamp', 'cloud', 'seven', 'Käse', 'a&b'])).join(' ');

// refused does what the server may well refuse.
const refused = async (promise) => { try { return await promise; } catch (e) { if (!e.status) throw e; return null; } };

function client() {
  const pb = new PocketBase(url);
  pb.autoCancellation(false);
  return pb;
}

async function setup() {
  const pb = client();
  await pb.collection('_superusers').authWithPassword('root@example.com', 'rootpassword');
  const users = await pb.collections.getOne('users');
  await pb.collections.update('users', { listRule: '', viewRule: '', authToken: { duration: Number(process.env.TOKEN_SECONDS ?? 604800) } });
  const stamps = [{ name: 'created', type: 'autodate', onCreate: true }, { name: 'updated', type: 'autodate', onCreate: true, onUpdate: true }];
  const author = { name: 'author', type: 'relation', collectionId: users.id, maxSelect: 1, required: true, cascadeDelete: true };
  const rules = { listRule: '', viewRule: '', createRule: 'author = @request.auth.id', updateRule: 'author = @request.auth.id', deleteRule: 'author = @request.auth.id' };
  const posts = await pb.collections.create({
    name: 'posts', type: 'base', ...rules,
    fields: [{ name: 'title', type: 'text', required: true, max: 60 }, { name: 'views', type: 'number' }, { name: 'scan', type: 'file', maxSelect: 1 }, author, ...stamps],
  });
  await pb.collections.create({
    name: 'comments', type: 'base', ...rules,
    fields: [{ name: 'text', type: 'text', required: true }, { name: 'post', type: 'relation', collectionId: posts.id, maxSelect: 1, required: true, cascadeDelete: true }, author, ...stamps],
  });
}

// everyones is what all have written so far, deleted things among it.
const everyones = { posts: [], comments: [] };

async function post(me) {
  const fields = { title: text(), views: draw(100), author: me.id };
  if (draw(4) === 0) fields.scan = new File([text()], `note ${draw(9)}.txt`, { type: 'text/plain' });
  const made = await me.posts.create(fields);
  everyones.posts.push(made);
  return made;
}

const steps = [
  (me) => post(me),
  (me) => me.posts.getOne(pick(everyones.posts).id),
  (me) => me.posts.getOne(pick(everyones.posts).id, { expand: 'author' }),
  (me) => me.posts.update(pick(everyones.posts).id, { title: text() }),
  (me) => me.posts.update(pick(everyones.posts).id, { 'views+': 1 }),
  (me) => me.posts.getList(1 + draw(3), 5, { sort: 'title', filter: me.pb.filter('author = {:me}', { me: me.id }) }),
  (me) => me.posts.getList(1 + draw(3), 10, { sort: '-views', fields: 'id,title', skipTotal: true }),
  (me) => me.posts.getFirstListItem(`id = "${pick(everyones.posts).id}"`),
  async (me) => everyones.comments.push(await me.comments.create({ text: text(), post: pick(everyones.posts).id, author: me.id })),
  (me) => everyones.comments.length && me.comments.update(pick(everyones.comments).id, { text: text() }),
  (me) => me.comments.getFullList({ batch: 50, filter: `post.id = '${pick(everyones.posts).id}'`, expand: 'post.author' }),
  (me) => everyones.comments.length && draw(3) === 0 && me.comments.delete(pick(everyones.comments).id),
  (me) => draw(3) === 0 && me.posts.delete(pick(everyones.posts).id),
  (me) => me.posts.create({ title: '', author: me.id }),
  (me) => me.posts.create({ title: text(), author: pick(everyones.posts).author }),
  async (me) => { // a file has a name that the server made
    const scanned = everyones.posts.filter((p) => p.scan);
    if (scanned.length) await fetch(me.pb.files.getURL(pick(scanned), pick(scanned).scan)).then((r) => r.text());
  },
  (me) => me.users.getOne(pick(everyones.posts).author),
  (me) => draw(4) === 0 && me.users.authRefresh(),
];

async function run() {
  for (let i = 0; i < people; i++) {
    const pb = client();
    const me = { pb, users: pb.collection('users'), posts: pb.collection('posts'), comments: pb.collection('comments') };
    const login = { email: `person${i}@example.com`, password: `password of ${i}` };
    me.id = (await me.users.create({ ...login, passwordConfirm: login.password, name: text() })).id;
    await refused(me.users.authWithPassword(login.email, 'not it'));
    await refused(me.posts.create({ title: 'too early', author: me.id }));
    await me.users.authWithPassword(login.email, login.password);
    await post(me);
    for (let n = 0; n < stepsOfEach; n++) await refused(pick(steps)(me));
    if (i % 4 === 1) { // a new password ends all sessions
      await me.users.update(me.id, { oldPassword: login.password, password: 'another one', passwordConfirm: 'another one' });
      await refused(me.users.authRefresh());
      await me.users.authWithPassword(login.email, 'another one');
      await post(me);
    }
    if (i % 6 === 5) {
      await me.users.delete(me.id);
      await refused(me.users.getOne(me.id));
    }
  }
}

await (what === 'setup' ? setup() : run());
