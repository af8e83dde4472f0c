/**
 * The most common base words of passwords: few enough to ship to the browser, which can then warn at once. The server
 * checks a much longer list.
 */
export const commonPasswords: ReadonlySet<string> = new Set(
  `
  password passwort pass passw passwd passcode passphrase secret letmein trustno access login signin signup admin
  administrator root master user guest test testing tester demo default changeme temp temporary welcome hello hallo
  newpass newpassword mypassword mypass enter open unlock private security secure system server computer internet
  network office company business manager support service member members

  qwerty qwertz azerty qwer qwert qwertyu qwertyui qwertyuio qwertyuiop asdf asdfg asdfgh asdfghj asdfghjk asdfghjkl
  zxcv zxcvb zxcvbn zxcvbnm qaz qazwsx qazwsxedc wsxedc qweasd qweasdzxc qaqa wasd
  1qaz2wsx 1qazxsw2 2wsx3edc zaq12wsx 1q2w3e 1q2w3e4r 1q2w3e4r5t q1w2e3 q1w2e3r4 a1b2c3 a1b2c3d4 1a2b3c 1a2b3c4d
  abcd abcde abcdef abcdefg abcdefgh aaaa aaaaaa aaaaaaaa xxxx xxxxxx
  abc123 abc1234 abc12345 abc123456 abc1234567 abc12345678 abc123456789 aa123456 aa1234567 aa12345678 aa123456789
  a123456 a1234567 a12345678 a123456789 123abc 1234abcd 12345abc 123456a 1234567a 12345678a 123qwe 123asd 123123a
  q123456 q1234567 q12345678 x123456 z123456 aa112233 aa123123 asd123 asd1234 asd12345 asd123456 qwe123 qwe1234
  qwe12345 qwe123456 zxc123 zxc1234 zxc12345 xyz123

  iloveyou iloveu loveyou loveme lovely love lover forever always angel angels baby babygirl babyboy princess prince
  queen king family mother father mommy daddy sister brother friend friends sweet sweety honey sunshine sunny flower
  flowers butterfly rainbow happy smile lucky dream dreams heaven jesus jesuschrist christ church blessed faith grace
  hope peace trust freedom america american

  january february march april june july august september october november december monday tuesday wednesday thursday
  friday saturday sunday spring summer autumn fall winter christmas easter birthday

  dragon monkey tiger tigger lion bear eagle falcon hawk wolf horse horses kitty kitten pussycat puppy doggy turtle
  dolphin panther phoenix spider buster bailey ginger pepper cookie cheese chocolate coffee banana orange apple cherry
  peanut pumpkin purple yellow green blue silver golden gold diamond crystal

  football baseball soccer basketball hockey golf golfer tennis racing yankees cowboys lakers steelers eagles packers
  rangers arsenal liverpool chelsea barcelona realmadrid juventus superman batman spiderman ironman pokemon pikachu
  naruto starwars matrix startrek gandalf harrypotter minecraft fortnite roblox mustang corvette ferrari porsche
  mercedes harley yamaha honda toyota guitar music dance rockstar metallica ninja samurai warrior hunter killer shadow
  thunder lightning storm legend magic merlin wizard money dollar google facebook instagram youtube samsung iphone
  android windows microsoft

  michael jennifer jessica jordan michelle daniel andrew thomas charlie robert george joshua matthew ashley amanda
  nicole taylor william martin heather maggie anthony david james john joseph richard charles christopher alexander
  samantha elizabeth stephanie melissa rachel sarah laura maria anna
  `
    .trim()
    .split(/\s+/),
)
