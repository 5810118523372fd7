import asyncio
import sys

import aiohttp


async def main():
    # Without trust_env aiohttp heeds no variable.
    async with aiohttp.ClientSession(trust_env=True) as session:
        for url in sys.argv[2:]:
            async with session.post(url, data=sys.argv[1]) as response:
                response.raise_for_status()


asyncio.run(main())
