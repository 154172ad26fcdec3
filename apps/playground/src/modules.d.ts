declare module 'hustings:guests' {
  const guests: readonly import('@hustings/catalogue').Algorithm<unknown>[];
  export default guests;
}
