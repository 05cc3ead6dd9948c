#include "Support/FileBreaker.h"

#include "Core/Base/Error.h"
#include "Core/Model/Reading/Checkpoint.h"
#include "Core/Model/Reading/ConfigReader.h"

#include <fstream>
#include <random>

namespace earshot::test {

bool readToTheEnd(const std::filesystem::path& file, const std::string& bytes) {
    // Writes a new file each time, because some file systems wait for the disk when a file is overwritten.
    std::filesystem::remove(file);
    std::ofstream(file, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    std::unique_ptr<model::Checkpoint> checkpoint;
    try {
        checkpoint = model::Checkpoint::open(file);
    } catch (const Error&) {
        return false;
    }
    for (const auto& item : checkpoint->tensors()) {
        try {
            checkpoint->read(item.first);
        } catch (const Error&) { // a damaged tensor does not end the test of the others
        }
    }
    try {
        model::openLayout(*checkpoint);
    } catch (const Error&) { // likewise
    }
    return true;
}

std::string mutated(const std::string& bytes, std::uint32_t seed) {
    std::mt19937 random(seed);
    std::string result = bytes;
    for (auto changes = 1 + random() % 4; changes > 0 && !result.empty(); --changes) {
        const auto position = random() % result.size();
        const auto value = static_cast<char>(random());
        switch (random() % 8) {
        case 0:
            result.insert(position, 1, value);
            break;
        case 1:
            result.erase(position, 1);
            break;
        case 2:
            result[position] = static_cast<char>(result[position] ^ (1 << (random() % 8)));
            break;
        case 3:
            result[position] = '\xff';
            break;
        default:
            result[position] = value;
            break;
        }
    }
    return result;
}

} // namespace earshot::test
